/*
 * An AgentX subagent made with Net-SNMP's library (libsnmp-dev), which misbehaves when it is told to.
 *
 *     subagent SOCKET NAME ROOT ROWS
 *
 * It registers ROOT and answers for one table there: ROOT.1.1.COLUMN.ROW with the columns 1 (INTEGER, the row),
 * 2 (Counter64, seven times the row), 3 (OCTET STRING, "row N") and 4 (INTEGER, which may be set). Commands come one per
 * line from standard input; each is answered with one line, "ok ..." or "error ...". See ../README.md.
 */
#include <net-snmp/net-snmp-config.h>
#include <net-snmp/net-snmp-includes.h>
#include <net-snmp/agent/net-snmp-agent-includes.h>

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

/* Exported by libnetsnmpagent, but in no installed header. */
extern netsnmp_session *main_session;
int agentx_register(netsnmp_session *session, oid name[], size_t length, int priority, int range_subid,
                    oid range_bound, int timeout, u_char flags, const char *context);
int agentx_open_session(netsnmp_session *session);

enum fault {
    NONE,
    SLOW,      /* answers after some milliseconds */
    SILENT,    /* answers nothing */
    DIE,       /* ends during the request */
    BACKWARDS, /* a GetNext is always answered with the first instance */
    BEFORE,    /* a name before the registration */
    BEHIND,    /* a name behind the registration */
    FEW,       /* an answer without variables */
    MANY,      /* an answer with a variable too many */
    INDEX,     /* an error at variable 99 */
    UNKNOWN,   /* a value of a type that does not exist */
    STRANGER,  /* an answer to a request that nobody made */
    TWICE,     /* each answer twice */
    CUT,       /* a header that promises more than comes */
    GARBAGE,   /* octets that are no AgentX */
    VERSION    /* a header of another version of AgentX */
};
static const char *const FAULTS[] = {"none", "slow",  "silent",  "die",      "backwards", "before", "behind",  "few",
                                     "many", "index", "unknown", "stranger", "twice",     "cut",    "garbage", "version"};

static enum fault fault = NONE;
static long milliseconds = 0;
static unsigned long requests_seen = 0;

static oid root[MAX_OID_LEN];
static size_t root_length = MAX_OID_LEN;
static oid rows = 0;
static long *settable;

enum { COLUMNS = 4 };

/* `1.3.6.1`: digits only, since read_objid wants MIB files. */
static int read_name(const char *text, oid *name, size_t *length)
{
    size_t parts = 0;
    if (text == NULL)
        return 0;
    while (parts < *length) {
        char *end;
        name[parts++] = strtoul(text, &end, 10);
        if (end == text)
            return 0;
        if (*end == 0) {
            *length = parts;
            return parts > 1;
        }
        if (*end != '.')
            return 0;
        text = end + 1;
    }
    return 0;
}

/* ---- The table ------------------------------------------------------------------------------------------------ */

static void fill(netsnmp_variable_list *variable, oid column, oid row)
{
    char text[32];
    long number = (long)row;
    struct counter64 big;
    uint64_t value = (uint64_t)row * 7;

    switch (column) {
    case 1:
        snmp_set_var_typed_value(variable, ASN_INTEGER, &number, sizeof number);
        break;
    case 2:
        big.high = (u_long)(value >> 32);
        big.low = (u_long)(value & 0xffffffff);
        snmp_set_var_typed_value(variable, ASN_COUNTER64, &big, sizeof big);
        break;
    case 3:
        snprintf(text, sizeof text, "row %lu", (unsigned long)row);
        snmp_set_var_typed_value(variable, ASN_OCTET_STR, text, strlen(text));
        break;
    default:
        snmp_set_var_typed_value(variable, ASN_INTEGER, &settable[row], sizeof settable[row]);
    }
}

/* Whether the name is that of an instance. */
static int find(const netsnmp_variable_list *variable, oid *column, oid *row)
{
    const oid *name = variable->name + root_length;
    *column = *row = 0;
    if (variable->name_length != root_length + 4 || snmp_oidtree_compare(variable->name, variable->name_length, root, root_length) != 0)
        return 0;
    *column = name[2];
    *row = name[3];
    return name[0] == 1 && name[1] == 1 && *column >= 1 && *column <= COLUMNS && *row >= 1 && *row <= rows;
}

/* The first instance behind a name: computed, so that the table costs the measurements nothing. */
static int behind(const netsnmp_variable_list *variable, oid *column, oid *row)
{
    oid start[2] = {1, 1};
    const oid *name = variable->name + root_length;
    size_t length;

    *column = 1;
    *row = 1;
    if (snmp_oid_compare(variable->name, variable->name_length, root, root_length) <= 0)
        return rows > 0;
    if (snmp_oidtree_compare(variable->name, variable->name_length, root, root_length) != 0)
        return 0;
    length = variable->name_length - root_length;
    int order = snmp_oid_compare(name, length < 2 ? length : 2, start, 2);
    if (order != 0 || length <= 2)
        return order <= 0 && rows > 0;
    if (name[2] > COLUMNS)
        return 0;
    if (name[2] == 0)
        return rows > 0;
    *column = name[2];
    if (length == 3)
        return rows > 0;
    *row = name[3] + 1;
    if (name[3] >= rows) {
        *column += 1;
        *row = 1;
    }
    return rows > 0 && *column <= COLUMNS;
}

static void name_it(netsnmp_variable_list *variable, oid column, oid row)
{
    oid name[MAX_OID_LEN];
    memcpy(name, root, root_length * sizeof *root);
    name[root_length] = 1;
    name[root_length + 1] = 1;
    name[root_length + 2] = column;
    name[root_length + 3] = row;
    snmp_set_var_objid(variable, name, root_length + 4);
}

static void check_set(netsnmp_agent_request_info *info, netsnmp_request_info *request, oid column, int exists)
{
    netsnmp_variable_list *variable = request->requestvb;
    if (info->mode != MODE_SET_RESERVE1)
        return;
    if (!exists)
        netsnmp_set_request_error(info, request, SNMP_ERR_NOCREATION);
    else if (column != 4)
        netsnmp_set_request_error(info, request, SNMP_ERR_NOTWRITABLE);
    else if (variable->type != ASN_INTEGER)
        netsnmp_set_request_error(info, request, SNMP_ERR_WRONGTYPE);
    else if (*variable->val.integer < 0)
        netsnmp_set_request_error(info, request, SNMP_ERR_WRONGVALUE);
}

static int handle(netsnmp_mib_handler *handler, netsnmp_handler_registration *registration,
                  netsnmp_agent_request_info *info, netsnmp_request_info *requests)
{
    static long before[64];
    static int saved;
    (void)handler;
    (void)registration;
    requests_seen++;
    if (fault == DIE)
        _exit(3);
    if (fault == SLOW)
        usleep((useconds_t)milliseconds * 1000);
    if (info->mode == MODE_SET_ACTION)
        saved = 0;
    for (int at = 0; requests != NULL; requests = requests->next, at++) {
        oid column, row;
        int exists = find(requests->requestvb, &column, &row);
        if (requests->processed)
            continue;
        switch (info->mode) {
        case MODE_GET:
            if (exists)
                fill(requests->requestvb, column, row);
            else
                netsnmp_set_request_error(info, requests, SNMP_NOSUCHINSTANCE);
            break;
        case MODE_GETNEXT:
            if (fault == BACKWARDS && rows > 0)
                column = row = 1;
            else if (!behind(requests->requestvb, &column, &row))
                break;
            name_it(requests->requestvb, column, row);
            fill(requests->requestvb, column, row);
            break;
        case MODE_SET_ACTION:
            if (saved < 64)
                before[saved++] = settable[row];
            settable[row] = *requests->requestvb->val.integer;
            break;
        case MODE_SET_UNDO:
            if (at < saved)
                settable[row] = before[at];
            break;
        default:
            check_set(info, requests, column, exists);
        }
    }
    return SNMP_ERR_NOERROR;
}

/* ---- Faults on the wire ----------------------------------------------------------------------------------------- */

static int (*send_as_it_is)(netsnmp_transport *, const void *, int, void **, int *);

static void put(u_char **at, uint32_t value)
{
    *(*at)++ = (u_char)(value >> 24);
    *(*at)++ = (u_char)(value >> 16);
    *(*at)++ = (u_char)(value >> 8);
    *(*at)++ = (u_char)value;
}

/* An INTEGER 1, or what says it is of another type; RFC 2741 section 5.4. */
static void put_variable(u_char **at, unsigned type, const oid *name, size_t length)
{
    put(at, (uint32_t)type << 16);
    put(at, (uint32_t)length << 24);
    for (size_t part = 0; part < length; part++)
        put(at, (uint32_t)name[part]);
    put(at, 1);
}

/* An answer of our own with the header of the library's. */
static int answer(u_char *made, const u_char *header)
{
    static const oid before[] = {1, 3, 6, 1, 2, 1, 1, 1, 0}, behind[] = {1, 3, 6, 1, 7, 7, 0};
    u_char *at = made + 20, *length = made + 16;
    memcpy(made, header, 16);
    made[2] |= 0x10; /* network byte order */
    if (!(header[2] & 0x10))
        for (int word = 4; word < 16; word += 4)
            for (int octet = 0; octet < 4; octet++)
                made[word + octet] = header[word + 3 - octet];
    if (fault == VERSION)
        made[0] = 9;
    if (fault == STRANGER)
        memset(made + 12, 0x7e, 4);
    put(&at, 0);
    put(&at, fault == INDEX ? 5u << 16 | 99 : 0);
    switch (fault) {
    case BEFORE:
        put_variable(&at, 2, before, 9);
        break;
    case BEHIND:
        put_variable(&at, 2, behind, 7);
        break;
    case MANY:
        for (int times = 0; times < 200; times++)
            put_variable(&at, 2, root, root_length);
        break;
    case UNKNOWN:
        put_variable(&at, 999, root, root_length);
        break;
    default:
        break;
    }
    put(&length, fault == CUT ? 1u << 20 : (uint32_t)(at - made - 20));
    return (int)(at - made);
}

static int send_spoiled(netsnmp_transport *transport, const void *octets, int size, void **opaque, int *opaque_size)
{
    static u_char made[65536];
    const u_char *header = octets;
    int answered;

    if (fault <= BACKWARDS && fault != SILENT)
        return send_as_it_is(transport, octets, size, opaque, opaque_size);
    if (size < 20 || header[1] != 18) /* agentx-Response-PDU */
        return send_as_it_is(transport, octets, size, opaque, opaque_size);
    if (fault == SILENT)
        return size;
    if (fault == TWICE) {
        send_as_it_is(transport, octets, size, opaque, opaque_size);
        return send_as_it_is(transport, octets, size, opaque, opaque_size);
    }
    if (fault == GARBAGE) {
        memset(made, 0xa5, 4096);
        answered = 4096;
    } else {
        answered = answer(made, header);
    }
    send_as_it_is(transport, made, answered, opaque, opaque_size);
    return size;
}

/* The library makes a new transport each time it connects. */
static void take_the_transport(void)
{
    netsnmp_transport *transport;
    if (main_session == NULL)
        return;
    transport = snmp_sess_transport(snmp_sess_pointer(main_session));
    if (transport == NULL || transport->f_send == send_spoiled)
        return;
    send_as_it_is = transport->f_send;
    transport->f_send = send_spoiled;
}

/* ---- Commands --------------------------------------------------------------------------------------------------- */

static void command_fault(const char *name, const char *argument)
{
    for (size_t at = 0; at < sizeof FAULTS / sizeof *FAULTS; at++) {
        if (name != NULL && strcmp(name, FAULTS[at]) == 0) {
            fault = (enum fault)at;
            milliseconds = argument ? atol(argument) : 0;
            printf("ok\n");
            return;
        }
    }
    printf("error there is no such fault\n");
}

/* The library says whether the master grants it, and logs the error. */
static void command_register(const char *text, const char *priority)
{
    oid name[MAX_OID_LEN];
    size_t length = MAX_OID_LEN;
    if (main_session == NULL || !read_name(text, name, &length)) {
        printf("error not connected, or no name\n");
        return;
    }
    int granted = agentx_register(main_session, name, length, priority ? atoi(priority) : 127, 0, 0, 0, 0, NULL);
    printf("ok %s\n", granted ? "granted" : "refused");
}

/* Many sessions on one connection. */
static void command_sessions(long wanted)
{
    long opened = 0;
    if (main_session == NULL) {
        printf("error not connected\n");
        return;
    }
    long ours = main_session->sessid;
    while (opened < wanted && agentx_open_session(main_session))
        opened++;
    main_session->sessid = ours;
    printf("ok %ld\n", opened);
}

/* Connections that stay open and say nothing but some octets. */
static void command_connections(const char *path, long wanted)
{
    long opened = 0;
    for (; opened < wanted; opened++) {
        struct sockaddr_un address = {.sun_family = AF_UNIX};
        int file = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
        snprintf(address.sun_path, sizeof address.sun_path, "%s", path);
        if (file < 0 || connect(file, (struct sockaddr *)&address, sizeof address) != 0)
            break;
    }
    printf("ok %ld\n", opened);
}

static void command_trap(void)
{
    static const oid trap_name[] = {1, 3, 6, 1, 6, 3, 1, 1, 4, 1, 0};
    netsnmp_variable_list *variables = NULL;
    oid name[MAX_OID_LEN];
    long one = 1;
    memcpy(name, root, root_length * sizeof *root);
    name[root_length] = 0;
    name[root_length + 1] = 1;
    snmp_varlist_add_variable(&variables, trap_name, OID_LENGTH(trap_name), ASN_OBJECT_ID, (u_char *)name,
                              (root_length + 2) * sizeof *name);
    snmp_varlist_add_variable(&variables, name, root_length, ASN_INTEGER, (u_char *)&one, sizeof one);
    send_v2trap(variables);
    snmp_free_varbind(variables);
    printf("ok\n");
}

static int obey(char *line, const char *path)
{
    char *word = strtok(line, " \n"), *first = strtok(NULL, " \n"), *second = strtok(NULL, " \n");
    if (word == NULL)
        printf("error no command\n");
    else if (strcmp(word, "quit") == 0)
        return 0;
    else if (strcmp(word, "fault") == 0)
        command_fault(first, second);
    else if (strcmp(word, "register") == 0)
        command_register(first, second);
    else if (strcmp(word, "sessions") == 0)
        command_sessions(first ? atol(first) : 0);
    else if (strcmp(word, "connections") == 0)
        command_connections(path, first ? atol(first) : 0);
    else if (strcmp(word, "trap") == 0)
        command_trap();
    else if (strcmp(word, "state") == 0)
        printf("ok %s %lu\n", main_session ? "connected" : "alone", requests_seen);
    else
        printf("error there is no command %s\n", word);
    return 1;
}

static void serve(const char *path)
{
    char line[512];
    size_t length = 0;
    for (;;) {
        int files = 1, block = 1;
        fd_set set;
        struct timeval timeout = {1, 0};
        take_the_transport();
        FD_ZERO(&set);
        FD_SET(STDIN_FILENO, &set);
        snmp_select_info(&files, &set, &timeout, &block);
        int count = select(files, &set, NULL, NULL, block ? NULL : &timeout);
        if (count < 0 && errno != EINTR)
            return;
        if (count > 0 && FD_ISSET(STDIN_FILENO, &set)) {
            ssize_t got = read(STDIN_FILENO, line + length, sizeof line - 1 - length);
            if (got <= 0)
                return;
            length += (size_t)got;
            line[length] = 0;
            if (strchr(line, '\n') != NULL) {
                length = 0;
                if (!obey(line, path))
                    return;
                fflush(stdout);
            } else if (length == sizeof line - 1) {
                return;
            }
            FD_CLR(STDIN_FILENO, &set);
        }
        if (count > 0)
            snmp_read(&set);
        else if (count == 0)
            snmp_timeout();
        run_alarms();
        netsnmp_check_outstanding_agent_requests();
    }
}

int main(int count, char **arguments)
{
    netsnmp_handler_registration *registration;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (count != 5) {
        fprintf(stderr, "subagent SOCKET NAME ROOT ROWS\n");
        return 2;
    }
    rows = strtoul(arguments[4], NULL, 10);
    settable = calloc(rows + 1, sizeof *settable);
    if (settable == NULL || !read_name(arguments[3], root, &root_length) || root_length > MAX_OID_LEN - 4) {
        fprintf(stderr, "subagent: no name: %s\n", arguments[3]);
        return 2;
    }
    snmp_disable_log();
    netsnmp_ds_set_boolean(NETSNMP_DS_LIBRARY_ID, NETSNMP_DS_LIB_DONT_READ_CONFIGS, 1);
    netsnmp_ds_set_boolean(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_ROLE, 1);
    netsnmp_ds_set_int(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_AGENTX_PING_INTERVAL, 1);
    netsnmp_ds_set_string(NETSNMP_DS_APPLICATION_ID, NETSNMP_DS_AGENT_X_SOCKET, arguments[1]);
    setenv("MIBS", "", 1);
    prctl(PR_SET_NAME, arguments[2]);
    init_agent(arguments[2]);
    registration = netsnmp_create_handler_registration(arguments[2], handle, root, root_length, HANDLER_CAN_RWRITE);
    netsnmp_register_handler(registration);
    init_snmp(arguments[2]);
    printf("ready\n");
    fflush(stdout);
    serve(arguments[1]);
    snmp_shutdown(arguments[2]);
    return 0;
}
