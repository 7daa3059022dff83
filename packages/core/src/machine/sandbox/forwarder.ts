// A way from HTTP_PROXY to the socket of the egress proxy, for programs that know proxies by address only.

/** On the loopback of the sandbox, which nobody else has. */
export const FORWARDER_PORT = 18_080;

const PROGRAM = [
  `const net = require("node:net");`,
  `net.createServer({ allowHalfOpen: true }, (near) => {`,
  `  const far = net.connect({ path: "/run/egress.sock", allowHalfOpen: true });`,
  `  near.on("error", () => far.destroy()); far.on("error", () => near.destroy());`,
  `  near.pipe(far).pipe(near);`,
  `}).listen(${FORWARDER_PORT}, "127.0.0.1", () => console.log("ready"));`,
].join("");

/** Shell text before the program is started: waits until the way is open. It ends with the sandbox. */
export const FORWARDER: string = `
way=/tmp/.egress.$$
mkfifo "$way" || exit 126
/run/node -e '${PROGRAM}' > "$way" 2> /dev/null < /dev/null &
read -r ready < "$way"
rm -f "$way"
[ "$ready" = ready ] || { echo "the way to the network did not open" >&2; exit 126; }
`;
