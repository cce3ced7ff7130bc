/* A client made with gSOAP of our WSDL: reads `OPERATION<tab>REQUEST` lines, calls, and writes what came. Requests and
   answers go through gSOAP's types both ways: what its types cannot hold is lost, and seen to be.

   calls.h, a line CALL(operation, call, request, answer) for each operation, is made of what soapcpp2 has made. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "soapH.h"

#include "names.nsmap"

/* Two contexts: one talks, the other reads and writes the texts. */
static struct soap *wire, *local;

static void say(const char *word, const char *text) {
    fputs(word, stdout);
    putchar('\t');
    for (; text && *text; text++)
        putchar(*text == '\n' || *text == '\r' ? ' ' : *text);
    putchar('\n');
}

/* Code, subcode, the detail's kind by its type, and the words. */
static void say_fault(void) {
    const char *subcode, *kind = "";
    struct SOAP_ENV__Detail *detail;
    char text[1024];
    if (!wire->fault) {
        soap_set_fault(wire);
        say("error", wire->fault ? soap_fault_string(wire) : "no fault");
        return;
    }
    detail = wire->version == 2 ? wire->fault->SOAP_ENV__Detail : wire->fault->detail;
    if (detail && detail->PROBLEM)
        kind = KIND_WORD(local, detail->PROBLEM->kind);
    subcode = soap_fault_subcode(wire);
    snprintf(text, sizeof text, "%s|%s|%s|%s", *soap_faultcode(wire), subcode ? subcode : "", kind,
             *soap_faultstring(wire));
    say(wire->error == SOAP_FAULT || kind[0] ? "fault" : "error", text);
}

#define CALL(operation, call, request, answer)                                                                        \
    static void ask_##operation(const char *endpoint, const char *text) {                                             \
        struct request asked;                                                                                         \
        struct answer given;                                                                                          \
        const char *written = NULL;                                                                                   \
        local->is = text;                                                                                             \
        if (soap_read_##request(local, &asked)) {                                                                     \
            soap_set_fault(local);                                                                                    \
            say("unreadable", soap_fault_string(local));                                                              \
            return;                                                                                                   \
        }                                                                                                             \
        local->is = NULL;                                                                                             \
        if (soap_call_##call(wire, endpoint, NULL, &asked, &given)) {                                                 \
            say_fault();                                                                                              \
            return;                                                                                                   \
        }                                                                                                             \
        local->os = &written;                                                                                         \
        if (soap_write_##answer(local, &given))                                                                       \
            say("unwritable", "");                                                                                    \
        else                                                                                                          \
            say("ok", written);                                                                                       \
        local->os = NULL;                                                                                             \
    }
#include "calls.h"
#undef CALL

#define CALL(operation, call, request, answer) {#operation, ask_##operation},
static const struct {
    const char *operation;
    void (*ask)(const char *endpoint, const char *text);
} calls[] = {
#include "calls.h"
};

static void ask(const char *endpoint, char *line) {
    char *text = strchr(line, '\t');
    if (text)
        *text++ = '\0';
    for (size_t at = 0; text && at < sizeof calls / sizeof *calls; at++)
        if (strcmp(calls[at].operation, line) == 0) {
            calls[at].ask(endpoint, text);
            soap_end(wire);
            soap_end(local);
            return;
        }
    say("unknown", line);
}

/* client ENDPOINT 1|2 [AUTHORITIES [USER PASSWORD]] */
int main(int count, char **words) {
    char *line = NULL;
    size_t room = 0;
    if (count < 3)
        return 2;
    soap_ssl_init();
    wire = soap_new2(SOAP_IO_KEEPALIVE | SOAP_ENC_ZLIB, SOAP_IO_KEEPALIVE);
    local = soap_new1(SOAP_C_UTFSTRING);
    soap_set_mode(wire, SOAP_C_UTFSTRING);
    if (atoi(words[2]) == 1) {
        /* What stands first is spoken, the other is understood. */
        namespaces[0].id = "SOAP-ENV", namespaces[0].ns = "http://schemas.xmlsoap.org/soap/envelope/";
        namespaces[0].in = "http://www.w3.org/2003/05/soap-envelope";
        namespaces[1].ns = "http://schemas.xmlsoap.org/soap/encoding/";
        namespaces[1].in = "http://www.w3.org/2003/05/soap-encoding";
        soap_set_namespaces(wire, namespaces);
    }
    wire->connect_timeout = wire->recv_timeout = wire->send_timeout = 60;
    if (count > 3 && soap_ssl_client_context(wire, SOAP_SSL_DEFAULT | SOAP_TLSv1_2, NULL, NULL, words[3], NULL, NULL))
        return 3;
    for (size_t at = 0; at < sizeof calls / sizeof *calls; at++)
        say("operation", calls[at].operation);
    fflush(stdout);
    while (getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (count > 5) {
            wire->userid = words[4];
            wire->passwd = words[5];
        }
        ask(words[1], line);
        fflush(stdout);
    }
    return 0;
}
