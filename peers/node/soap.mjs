// The npm package soap as a client of web services: what to call comes as JSON on standard input, what came of it goes
// out the same way. The form of both is told in peers/python/soap.py; whose certificates are believed says the variable
// NODE_EXTRA_CA_CERTS, which node reads.

import { createRequire } from 'node:module';
import fs from 'node:fs';
import path from 'node:path';

// Packages stand where they were installed, and this file does not.
const require = createRequire(path.join(process.argv[2], 'package.json'));
const soap = require('soap');

const plan = JSON.parse(fs.readFileSync(0, 'utf8'));
const headers = plan.encoding ? { 'Accept-Encoding': plan.encoding } : {};
const security =
  (plan.user && new soap.BasicAuthSecurity(...plan.user)) ||
  (plan.token && new soap.BearerSecurity(plan.token)) ||
  (plan.certificate && new soap.ClientSSLSecurity(plan.certificate[1], plan.certificate[0]));

const typedFault = (error) => {
  // SOAP 1.1 and 1.2 have different names for the same parts.
  const fault = error.root?.Envelope?.Body?.Fault;
  if (!fault) return undefined;
  return {
    code: String(fault.faultcode?.$value ?? fault.faultcode ?? fault.Code?.Value?.$value ?? fault.Code?.Value),
    subcodes: fault.Code?.Subcode ? [String(fault.Code.Subcode.Value?.$value ?? fault.Code.Subcode.Value)] : [],
    reason: String(fault.faultstring ?? fault.Reason?.Text?.$value ?? fault.Reason?.Text),
    details: Object.values(fault.detail ?? fault.Detail ?? {}),
  };
};

const main = async () => {
  const options = { wsdl_headers: headers, wsdl_options: {}, forceSoap12Headers: plan.port.includes('12') };
  if (plan.user) {
    options.wsdl_headers.Authorization = 'Basic ' + Buffer.from(plan.user.join(':')).toString('base64');
  }
  const client = await soap.createClientAsync(plan.wsdl, options);
  const [service] = Object.values(client.wsdl.services);
  const methods = client[Object.keys(client.wsdl.services)[0]][plan.port];
  if (security) client.setSecurity(security);
  const call = (name, given) =>
    new Promise((resolve) => {
      methods[name](given, (error, value) => {
        if (!error) return resolve({ value });
        const fault = typedFault(error);
        return resolve(fault ? { fault } : { error: String(error) });
      }, {}, headers);
    });
  const answers = [];
  for (const { operation, arguments: given } of plan.calls) answers.push(await call(operation, given));
  const found = {
    ports: Object.keys(service.ports).sort(),
    operations: Object.keys(methods).filter((name) => !name.endsWith('Async')).sort(),
    answers,
  };
  fs.writeSync(1, JSON.stringify(found));
};

await main();
