/** An address as people type it. */

/** With what they leave out: http on this machine and the local network, https everywhere else. */
export function asAddress(typed: string): string {
  const text = typed.trim();
  if (text === "" || /^[a-z]+:\/\//i.test(text)) return text;
  return `${isLocal(`http://${text}`) ? "http" : "https"}://${text}`;
}

/** It looks like this machine or the local network: then it has to be meant. The gateway judges. */
export function isLocal(address: string): boolean {
  const host = (URL.parse(address)?.hostname ?? "").replace(/^\[|\]$/g, "");
  return (
    /^(127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|::1$|f[cd])/i.test(
      host,
    ) ||
    /(^|\.)(localhost|local|lan|internal|home\.arpa)$/i.test(host) ||
    (host !== "" && !/[.:]/.test(host))
  );
}
