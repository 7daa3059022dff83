// A preload: names of the outside lead to servers of the test, at public addresses that stand for them; every other name does not
// exist, and no other address is dialed. MARGAY_OUTSIDE is a file `{ "NAME": { "PORT": port of the test } }`.
import dns from "node:dns";
import { readFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

const outside = JSON.parse(readFileSync(process.env.MARGAY_OUTSIDE ?? "", "utf8"));
const names = Object.keys(outside);
/** Public, or the check of addresses would refuse them as it must. */
const addressOf = (name) => `93.184.215.${names.indexOf(name) + 1}`;
const portAt = (address, port) => outside[names.find((name) => addressOf(name) === address) ?? ""]?.[port];
const isOwn = (host) => host === undefined || /^(?:127\.|::1$|localhost$)/.test(host);

const answer = (host, options) => {
  const name = host.replace(/\.$/, "");
  if (!names.includes(name))
    throw Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: "ENOTFOUND", hostname: name });
  const found = { address: addressOf(name), family: 4 };
  return options.all === true ? [found] : found;
};
const { lookup } = dns;
dns.lookup = function (host, ...rest) {
  if (isOwn(host) || net.isIP(host) !== 0) return lookup.call(this, host, ...rest);
  const done = rest.at(-1);
  let found;
  try {
    found = answer(host, typeof rest[0] === "object" ? rest[0] : {});
  } catch (error) {
    process.nextTick(done, error);
    return {};
  }
  if (Array.isArray(found)) process.nextTick(done, null, found);
  else process.nextTick(done, null, found.address, found.family);
  return {};
};
const later = dns.promises.lookup;
dns.promises.lookup = async (host, options) =>
  isOwn(host) || net.isIP(host) !== 0 ? await later(host, options) : answer(host, options ?? {});

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // Its own front end passes an array of normalized arguments.
  const [first] = Array.isArray(args[0]) ? args[0] : args;
  const isAddress =
    typeof first === "object" && first !== null && typeof first.host === "string" && net.isIP(first.host);
  if (!isAddress || isOwn(first.host)) return connect.apply(this, args);
  const port = portAt(first.host, String(first.port));
  Object.assign(first, port === undefined ? { host: "127.0.0.1", port: 1 } : { host: "127.0.0.1", port });
  return connect.apply(this, args);
};
syncBuiltinESMExports();
