/**
 * A provider far away: TLS in front of an address, with a delay on every way. A program of its own, so that its timers are not late.
 *
 *   node slow-tls.mjs HOST PORT KEY CERTIFICATE TRIP_MS   → {"port":…} on stdout
 *
 * What comes is passed on after half a trip, each way; the handshake of TCP, which nobody can delay from here, is added to the first.
 */
import { readFileSync } from "node:fs";
import { connect, createServer as createTcp } from "node:net";
import { createServer as createTls } from "node:tls";

const [host, port, key, certificate, trip] = process.argv.slice(2);
const TRIP_MS = Number(trip);

const secured = createTls({ key: readFileSync(key), cert: readFileSync(certificate) }, (client) => {
  const upstream = connect(Number(port), host);
  client.pipe(upstream).pipe(client);
  for (const socket of [client, upstream]) socket.on("error", () => [client, upstream].forEach((one) => one.destroy()));
});
secured.listen(0, "127.0.0.1", () => {
  const far = createTcp((client) => {
    const upstream = connect(secured.address().port, "127.0.0.1");
    late(client, upstream, TRIP_MS / 2 + TRIP_MS);
    late(upstream, client, TRIP_MS / 2);
  });
  far.listen(0, "127.0.0.1", () => process.stdout.write(`${JSON.stringify({ port: far.address().port })}\n`));
});

/** In order, each part `TRIP_MS / 2` after it came; the first one after `firstMs`. */
function late(from, to, firstMs) {
  let notBefore = performance.now() + firstMs;
  const after = (act) => {
    notBefore = Math.max(notBefore, performance.now() + TRIP_MS / 2);
    setTimeout(() => act(), notBefore - performance.now());
  };
  from.setNoDelay(true);
  from.on("data", (part) => after(() => to.writable && to.write(part)));
  from.on("end", () => after(() => to.end()));
  from.on("error", () => to.destroy());
}
