/* A server made with gSOAP: the paper's prototype over again, and one whose answer costs nothing to find. */

#include <getopt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "interfaces.h"
#include "monitor.nsmap"

/* What GetIfTable is answered with. */
static struct {
    /* A whole message, sent as it stands when it is there. */
    char *octets;
    size_t length;
    /* Else these rows, which gSOAP encodes for every request; else those of the machine. */
    struct ifEntry *rows;
    int count;
} fixed;

/* gSOAP's ways of sending: with an exact length, which came out fastest, in chunks, or stored first. */
static soap_mode mode = SOAP_IO_FLUSH;

static int rows_of(struct soap *soap, struct ifEntry **rows) {
    if (!fixed.rows)
        return interfaces_read(soap, rows);
    *rows = fixed.rows;
    return fixed.count;
}

/* gSOAP parses the request and asks here; what goes back was made before. */
static int send_octets(struct soap *soap) {
    soap->http_content = "text/xml; charset=utf-8";
    if (soap_response(soap, SOAP_FILE) || soap_send_raw(soap, fixed.octets, fixed.length) || soap_end_send(soap))
        return soap->error;
    return SOAP_STOP;
}

int utMon__GetIfTable(struct soap *soap, xsd__string community, struct utMon__GetIfTableResponse *answer) {
    (void)community;
    if (fixed.octets)
        return send_octets(soap);
    answer->__sizeifEntry = rows_of(soap, &answer->ifEntry);
    return answer->__sizeifEntry < 0 ? soap_receiver_fault(soap, "no interfaces", NULL) : SOAP_OK;
}

static struct ifEntry *row_of(struct soap *soap, unsigned index) {
    struct ifEntry *rows;
    int count = rows_of(soap, &rows);
    for (int at = 0; at < count; at++)
        if (rows[at].ifIndex == index)
            return &rows[at];
    return NULL;
}

int utMon__GetIfEntry(struct soap *soap, xsd__string community, xsd__unsignedInt index,
                      struct utMon__GetIfEntryResponse *answer) {
    (void)community;
    struct ifEntry *row = row_of(soap, index);
    if (!row)
        return soap_sender_fault(soap, "no such interface", NULL);
    answer->ifEntry = *row;
    return SOAP_OK;
}

int utMon__GetIfColumn(struct soap *soap, xsd__string community, xsd__string column,
                       struct utMon__GetIfColumnResponse *answer) {
    (void)community;
    struct ifEntry *rows;
    int count = rows_of(soap, &rows);
    if (count < 0)
        return soap_receiver_fault(soap, "no interfaces", NULL);
    answer->value = soap_malloc(soap, ((size_t)count + 1) * sizeof *answer->value);
    if (!answer->value)
        return soap->error = SOAP_EOM;
    for (int at = 0; at < count; at++)
        if (!(answer->value[at] = interfaces_text(soap, &rows[at], column)))
            return soap_sender_fault(soap, "no such column", NULL);
    answer->__sizevalue = count;
    return SOAP_OK;
}

int utMon__GetIfObject(struct soap *soap, xsd__string community, xsd__string column, xsd__unsignedInt index,
                       xsd__string *value) {
    (void)community;
    struct ifEntry *row = row_of(soap, index);
    if (!row)
        return soap_sender_fault(soap, "no such interface", NULL);
    *value = interfaces_text(soap, row, column);
    return *value ? SOAP_OK : soap_sender_fault(soap, "no such column", NULL);
}

/* A connection, for as long as the client keeps it. */
static void *connection(void *argument) {
    struct soap *soap = argument;
    pthread_detach(pthread_self());
    soap_serve(soap);
    soap_destroy(soap);
    soap_end(soap);
    soap_free(soap);
    return NULL;
}

static void read_answer(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file) {
        perror(path);
        exit(1);
    }
    size_t room = 1 << 16, got;
    fixed.octets = malloc(room);
    while (fixed.octets && (got = fread(fixed.octets + fixed.length, 1, room - fixed.length, file)) > 0)
        if ((fixed.length += got) == room)
            fixed.octets = realloc(fixed.octets, room *= 2);
    fclose(file);
}

/* An answer of just this length: an envelope around one text. */
static void make_answer(size_t length) {
    static const char head[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<SOAP-ENV:Envelope xmlns:SOAP-ENV="
                               "\"http://schemas.xmlsoap.org/soap/envelope/\"><SOAP-ENV:Body><utMon:GetIfTableResponse"
                               " xmlns:utMon=\"urn:UTMON\"><ifDescr>";
    static const char tail[] = "</ifDescr></utMon:GetIfTableResponse></SOAP-ENV:Body></SOAP-ENV:Envelope>";
    size_t least = sizeof head + sizeof tail - 2;
    if (length < least)
        length = least;
    fixed.octets = malloc(length);
    if (!fixed.octets)
        exit(1);
    fixed.length = length;
    memset(fixed.octets, 'x', length);
    memcpy(fixed.octets, head, sizeof head - 1);
    memcpy(fixed.octets + length - (sizeof tail - 1), tail, sizeof tail - 1);
}

static void usage(void) {
    fprintf(stderr, "server [--port N] [--answer FILE | --octets N | --rows N] [--io length|chunk|store] [--zlib]\n");
    exit(2);
}

int main(int count, char **words) {
    static const struct option options[] = {
        {"port", required_argument, 0, 'p'}, {"answer", required_argument, 0, 'a'}, {"octets", required_argument, 0, 'o'},
        {"rows", required_argument, 0, 'r'}, {"io", required_argument, 0, 'i'},     {"zlib", no_argument, 0, 'z'},
        {0, 0, 0, 0},
    };
    int port = 0, option;
    soap_mode zlib = 0;
    while ((option = getopt_long(count, words, "", options, NULL)) != -1) {
        switch (option) {
        case 'p': port = atoi(optarg); break;
        case 'a': read_answer(optarg); break;
        case 'o': make_answer(strtoul(optarg, NULL, 10)); break;
        case 'r': fixed.rows = interfaces_made_up(fixed.count = atoi(optarg)); break;
        case 'i':
            mode = !strcmp(optarg, "store") ? SOAP_IO_STORE : !strcmp(optarg, "chunk") ? SOAP_IO_CHUNK : SOAP_IO_FLUSH;
            break;
#ifdef WITH_GZIP
        case 'z': zlib = SOAP_ENC_ZLIB; break;
#endif
        default: usage();
        }
    }
    signal(SIGPIPE, SIG_IGN);
    struct soap *soap = soap_new2(SOAP_IO_KEEPALIVE, SOAP_IO_KEEPALIVE | mode | zlib | SOAP_XML_TREE | SOAP_C_UTFSTRING);
    /* As long as the client wants; TCP_NODELAY is gSOAP's habit. */
    soap->max_keep_alive = 0;
    soap->bind_flags = SO_REUSEADDR;
    if (!soap_valid_socket(soap_bind(soap, "127.0.0.1", port, 128))) {
        soap_print_fault(soap, stderr);
        return 1;
    }
    struct sockaddr_in bound;
    socklen_t length = sizeof bound;
    getsockname(soap->master, (struct sockaddr *)&bound, &length);
    printf("port %d\n", ntohs(bound.sin_port));
    fflush(stdout);
    for (;;) {
        pthread_t thread;
        struct soap *copy;
        if (!soap_valid_socket(soap_accept(soap)))
            continue;
        copy = soap_copy(soap);
        if (!copy || pthread_create(&thread, NULL, connection, copy) != 0) {
            soap_closesock(soap);
            continue;
        }
    }
}
