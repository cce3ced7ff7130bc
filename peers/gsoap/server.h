/* What the gSOAP server offers, for soapcpp2: the four granularities of Pras et al. 2005, section III.A, in the
   form of figures 8 to 10 (RPC/encoded, 18 objects of a row). */

//gsoap utMon service name: monitor
//gsoap utMon service namespace: urn:UTMON
//gsoap utMon service style: rpc
//gsoap utMon service encoding: encoded

typedef char *xsd__string;
typedef unsigned int xsd__unsignedInt;

/* Figure 10. */
struct ifEntry {
    xsd__unsignedInt ifIndex;
    xsd__string ifDescr;
    xsd__unsignedInt ifType;
    xsd__unsignedInt ifMtu;
    xsd__unsignedInt ifSpeed;
    xsd__string ifPhysAddress;
    xsd__unsignedInt ifAdminStatus;
    xsd__unsignedInt ifOperStatus;
    xsd__unsignedInt ifInOctets;
    xsd__unsignedInt ifInUcastPkts;
    xsd__unsignedInt ifInDiscards;
    xsd__unsignedInt ifInErrors;
    xsd__unsignedInt ifOutOctets;
    xsd__unsignedInt ifOutUcastPkts;
    xsd__unsignedInt ifOutDiscards;
    xsd__unsignedInt ifOutErrors;
    xsd__unsignedInt ifOutQLen;
    xsd__string ifSpecific;
};

struct utMon__GetIfTableResponse {
    int __sizeifEntry;
    struct ifEntry *ifEntry;
};

struct utMon__GetIfEntryResponse {
    struct ifEntry ifEntry;
};

struct utMon__GetIfColumnResponse {
    int __sizevalue;
    xsd__string *value;
};

int utMon__GetIfTable(xsd__string community, struct utMon__GetIfTableResponse *answer);
int utMon__GetIfEntry(xsd__string community, xsd__unsignedInt ifIndex, struct utMon__GetIfEntryResponse *answer);
int utMon__GetIfColumn(xsd__string community, xsd__string column, struct utMon__GetIfColumnResponse *answer);
int utMon__GetIfObject(xsd__string community, xsd__string column, xsd__unsignedInt ifIndex, xsd__string *value);
