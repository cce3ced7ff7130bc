/* The rows that the server gives: of this machine, or made up once. */

#ifndef INTERFACES_H
#define INTERFACES_H

#include "soapH.h"

/* The interfaces of this machine now: /proc/net/dev for the counters, as Net-SNMP of that time read them. The rows
   live until the request ends. How many there are, or -1. */
int interfaces_read(struct soap *soap, struct ifEntry **rows);

/* `count` rows without any data source, that live as long as the process. */
struct ifEntry *interfaces_made_up(int count);

/* The value of a column as text, for the life of the request; NULL when there is no such column. */
char *interfaces_text(struct soap *soap, const struct ifEntry *row, const char *column);

#endif
