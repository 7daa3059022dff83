// A preload: writes every connection, datagram and name that this process asks for to a file, and does not stop it.
// Loaded with --import; MARGAY_DIALED names the file.
import dgram from "node:dgram";
import dns from "node:dns";
import { appendFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import net from "node:net";

/** Asked each time: a test that loads this into its own process says later where to. */
const file = () => process.env.MARGAY_DIALED;
const note = (line) => file() !== undefined && appendFileSync(file() ?? "", `${line}\n`);

const { connect } = net.Socket.prototype;
net.Socket.prototype.connect = function (...args) {
  // Its own front end passes an array of normalized arguments.
  const [first, second] = Array.isArray(args[0]) ? args[0] : args;
  if (typeof first === "object" && first !== null)
    note(typeof first.path !== "string" ? `tcp ${first.host ?? "localhost"}:${first.port}` : `unix ${first.path}`);
  else note(typeof first === "string" && Number.isNaN(Number(first)) ? `unix ${first}` : `tcp ${second}:${first}`);
  return connect.apply(this, args);
};
for (const name of ["send", "connect", "bind"]) {
  const original = dgram.Socket.prototype[name];
  dgram.Socket.prototype[name] = function (...args) {
    note(`udp ${name}`);
    return original.apply(this, args);
  };
}
for (const holder of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype])
  for (const name of Object.getOwnPropertyNames(holder)) {
    if (!/^(?:lookup|lookupService|resolve.*|reverse)$/.test(name)) continue;
    const original = holder[name];
    holder[name] = function (host, ...rest) {
      if (net.isIP(String(host)) === 0) note(`name ${host}`);
      return original.call(this, host, ...rest);
    };
  }
syncBuiltinESMExports();
