// Requests that tools make.

export const NETWORK_GUARDS = [
  {
    id: "network: only public addresses are dialed",
    file: "packages/core/src/platform/checked-addresses.ts",
    find: "return addresses.every(isOpen) ? { addresses } : notPublic(host);",
    replace: "return { addresses };",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: a literal address is checked too",
    file: "packages/core/src/platform/checked-addresses.ts",
    find: "if (isAddress(host)) return isOpen(host) ? { addresses: [host] } : notPublic(host);",
    replace: "if (isAddress(host)) return { addresses: [host] };",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: the machine's own addresses are closed",
    file: "packages/core/src/platform/checked-addresses.ts",
    find: " && !own.some((network) => isOwn(address, network))",
    replace: "",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: the address that was checked is the one dialed",
    file: "packages/core/src/platform/safe-fetch.ts",
    find: "() => connect(address, portOf(url))",
    replace: "() => connect(hostOf(url), portOf(url))",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: the number of redirects is limited",
    file: "packages/core/src/platform/safe-fetch.ts",
    find: "if (redirects === MAX_REDIRECTS) return",
    replace: "if (false) return",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: keys do not follow a redirect to another host",
    file: "packages/core/src/platform/safe-fetch.ts",
    find: 'if ("url" in parsed && parsed.url.origin !== url.origin) request = {};',
    replace: "",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: a body is not redirected",
    file: "packages/core/src/platform/safe-fetch.ts",
    find: "if (first.body !== undefined) return",
    replace: "if (false) return",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: only http and https",
    file: "packages/core/src/platform/safe-url.ts",
    find: 'if (url.protocol !== "http:" && url.protocol !== "https:") {',
    replace: "if (false) {",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: no passwords in addresses",
    file: "packages/core/src/platform/safe-url.ts",
    find: 'if (url.username !== "" || url.password !== "") {',
    replace: "if (false) {",
    tests: ["packages/core/test/platform/safe-fetch.test.ts"],
  },
  {
    id: "network: certificates are checked",
    file: "packages/core/src/platform/safe-exchange.ts",
    find: "rejectUnauthorized: true,",
    replace: "rejectUnauthorized: false,",
    tests: ["packages/core/test/platform/safe-fetch-tls.test.ts"],
  },
];
