/** What a client throws when the other side was not reached, or the connection broke. */
const NETWORK_CODES =
  /^(?:E(?:CONN|PIPE|TIMEDOUT|NOTFOUND|AI_|HOSTUNREACH|NETUNREACH|NETDOWN|PROTO|ADDRNOTAVAIL)|UND_ERR|CERT_|ERR_(?:TLS|SSL|STREAM_PREMATURE|HTTP2)|DEPTH_ZERO|UNABLE_TO|SELF_SIGNED|HPE_|ConnectionRefused|ConnectionClosed|FailedToOpenSocket)/;
const NETWORK_WORDS = /fetch failed|socket hang up|network error|terminated|other side closed|aborted by the server/i;

/** @param link of a chain of causes. @returns its code, or "" when only its words say so; undefined: it is something else. */
export function connectionCode(link: unknown): string | undefined {
  const code = typeof link === "object" && link !== null && "code" in link ? link.code : undefined;
  if (typeof code === "string" && NETWORK_CODES.test(code)) return code;
  return link instanceof Error && NETWORK_WORDS.test(link.message) ? "" : undefined;
}
