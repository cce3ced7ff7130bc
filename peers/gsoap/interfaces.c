#include "interfaces.h"

#include <net/if.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

struct column {
    const char *name;
    size_t offset;
    int is_text;
};

#define NUMBER(name) {#name, offsetof(struct ifEntry, name), 0}
#define TEXT(name) {#name, offsetof(struct ifEntry, name), 1}

static const struct column columns[] = {
    NUMBER(ifIndex),      TEXT(ifDescr),          NUMBER(ifType),       NUMBER(ifMtu),        NUMBER(ifSpeed),
    TEXT(ifPhysAddress),  NUMBER(ifAdminStatus),  NUMBER(ifOperStatus), NUMBER(ifInOctets),   NUMBER(ifInUcastPkts),
    NUMBER(ifInDiscards), NUMBER(ifInErrors),     NUMBER(ifOutOctets),  NUMBER(ifOutUcastPkts),
    NUMBER(ifOutDiscards), NUMBER(ifOutErrors),   NUMBER(ifOutQLen),    TEXT(ifSpecific),
};

enum { ETHERNET_CSMACD = 6, SOFTWARE_LOOPBACK = 24, UP = 1, DOWN = 2 };

/* What only the kernel's old calls tell: number, flags, MTU and address. */
static void ask_kernel(struct soap *soap, int probe, const char *name, struct ifEntry *row) {
    struct ifreq request;
    memset(&request, 0, sizeof request);
    snprintf(request.ifr_name, sizeof request.ifr_name, "%s", name);
    row->ifIndex = if_nametoindex(name);
    row->ifType = ETHERNET_CSMACD;
    row->ifAdminStatus = row->ifOperStatus = DOWN;
    if (ioctl(probe, SIOCGIFMTU, &request) == 0)
        row->ifMtu = (unsigned)request.ifr_mtu;
    if (ioctl(probe, SIOCGIFFLAGS, &request) == 0) {
        if (request.ifr_flags & IFF_LOOPBACK)
            row->ifType = SOFTWARE_LOOPBACK;
        if (request.ifr_flags & IFF_UP)
            row->ifAdminStatus = UP;
        if (request.ifr_flags & IFF_RUNNING)
            row->ifOperStatus = UP;
    }
    row->ifSpeed = 10000000;
    if (ioctl(probe, SIOCGIFHWADDR, &request) == 0) {
        const unsigned char *octet = (const unsigned char *)request.ifr_hwaddr.sa_data;
        char text[18];
        snprintf(text, sizeof text, "%X|%X|%X|%X|%X|%X", octet[0], octet[1], octet[2], octet[3], octet[4], octet[5]);
        row->ifPhysAddress = soap_strdup(soap, text);
    }
}

/* A line of /proc/net/dev; 0 for its headings. */
static int read_line(struct soap *soap, int probe, char *line, struct ifEntry *row) {
    unsigned long long in[4], out[4], rest;
    char *name = line + strspn(line, " ");
    char *colon = strchr(name, ':');
    if (!colon)
        return 0;
    *colon = '\0';
    int found = sscanf(colon + 1, "%llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu %llu", &in[0], &in[1], &in[2],
                       &in[3], &rest, &rest, &rest, &rest, &out[0], &out[1], &out[2], &out[3]);
    if (found != 12)
        return 0;
    memset(row, 0, sizeof *row);
    row->ifDescr = soap_strdup(soap, name);
    ask_kernel(soap, probe, name, row);
    row->ifInOctets = (unsigned)in[0];
    row->ifInUcastPkts = (unsigned)in[1];
    row->ifInErrors = (unsigned)in[2];
    row->ifInDiscards = (unsigned)in[3];
    row->ifOutOctets = (unsigned)out[0];
    row->ifOutUcastPkts = (unsigned)out[1];
    row->ifOutErrors = (unsigned)out[2];
    row->ifOutDiscards = (unsigned)out[3];
    row->ifSpecific = "0:0";
    return 1;
}

int interfaces_read(struct soap *soap, struct ifEntry **rows) {
    FILE *file = fopen("/proc/net/dev", "r");
    int probe = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int count = 0, room = 0;
    char line[512];
    *rows = NULL;
    if (!file || probe < 0)
        count = -1;
    while (count >= 0 && fgets(line, sizeof line, file)) {
        if (count == room) {
            int more = room ? 2 * room : 16;
            struct ifEntry *wider = soap_malloc(soap, (size_t)more * sizeof *wider);
            if (!wider) {
                count = -1;
                break;
            }
            if (room)
                memcpy(wider, *rows, (size_t)room * sizeof *wider);
            *rows = wider;
            room = more;
        }
        count += read_line(soap, probe, line, *rows + count);
    }
    if (file)
        fclose(file);
    if (probe >= 0)
        close(probe);
    return count;
}

struct ifEntry *interfaces_made_up(int count) {
    struct ifEntry *rows = calloc((size_t)count + 1, sizeof *rows);
    for (int at = 0; rows && at < count; at++) {
        struct ifEntry *row = &rows[at];
        char text[32];
        row->ifIndex = (unsigned)at + 1;
        snprintf(text, sizeof text, "eth%d", at);
        row->ifDescr = strdup(text);
        row->ifType = ETHERNET_CSMACD;
        row->ifMtu = 1500;
        row->ifSpeed = 10000000;
        snprintf(text, sizeof text, "0|40|63|C9|%X|%X", (at >> 8) & 255, at & 255);
        row->ifPhysAddress = strdup(text);
        row->ifAdminStatus = row->ifOperStatus = UP;
        row->ifInOctets = 354210076u + 7919u * (unsigned)at;
        row->ifInUcastPkts = 1399059u + 104729u * (unsigned)at;
        row->ifOutOctets = 434349174u + 15485863u * (unsigned)at;
        row->ifOutUcastPkts = 1508987u + 7907u * (unsigned)at;
        row->ifOutErrors = 1;
        row->ifSpecific = "0:0";
    }
    return rows;
}

char *interfaces_text(struct soap *soap, const struct ifEntry *row, const char *name) {
    for (size_t at = 0; name && at < sizeof columns / sizeof *columns; at++) {
        const char *cell = (const char *)row + columns[at].offset;
        if (strcmp(columns[at].name, name) != 0)
            continue;
        if (columns[at].is_text) {
            char *text = *(char *const *)cell;
            return text ? text : "";
        }
        char digits[16];
        snprintf(digits, sizeof digits, "%u", *(const unsigned *)cell);
        return soap_strdup(soap, digits);
    }
    return NULL;
}
