// Who can open a connection, file by file and with a reason: a file that is not listed here, or no longer needs to be, fails.
import { readdirSync, readFileSync, existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const root = join(import.meta.dirname, "..");

/** Ways to the network, and how they look. Types alone are no way. */
const MEANS: readonly (readonly [string, RegExp])[] = [
  ["sockets", module("net|tls|http|https|http2|dgram|quic")],
  ["names", module("dns|dns/promises")],
  ["programs", module("child_process|cluster")],
  ["inspector", module("inspector|inspector/promises")],
  ["library", /(?:from|import\(|require\()\s*["'](?:undici|ws|axios|got|node-fetch|playwright-core)["']/],
  ["fetch", /(?<![\w.$#])(?:globalThis\.|window\.|self\.)?fetch\(|globalThis(?:\.fetch|\[["']fetch)/],
  [
    "client",
    /\bnew\s+(?:WebSocket|WebSocketStream|EventSource|XMLHttpRequest|WebTransport|RTCPeerConnection)\b|\.sendBeacon\(/,
  ],
  ["direct", /(?<!function )\bhttpFetch\(/],
  ["binding", /process\.(?:binding|_linkedBinding|dlopen)\b/],
  ["code", /(?<![\w.])eval\(|new Function\(|from ["'](?:node:)?vm["']|getBuiltinModule\(["'](?:node:)?vm["']/],
];

function module(names: string): RegExp {
  const name = `["'](?:node:)?(?:${names})["']`;
  return new RegExp(`(?:\\bfrom|\\bimport|\\bimport\\(|\\brequire\\(|getBuiltinModule\\()\\s*${name}`);
}

const LISTENS = "the gateway listens; it calls nobody";
const OWN_WIRE = "handed to a provider, whose address the operator configured";
/** `file means: reason`. What is reached through safeFetch needs no line but safeFetch's own. */
const ALLOWED: Readonly<Record<string, string>> = {
  "packages/app/src/chunk-loader.ts code": "the chunks of the program itself, which lie beside it",
  // The two that dial.
  "packages/core/src/machine/http/safe-exchange.ts sockets": "safeFetch: speaks over a connection to a checked address",
  "packages/core/src/machine/http/safe-fetch.ts sockets": "safeFetch: dials checked addresses only",
  "packages/core/src/machine/http/checked-addresses.ts names":
    "safeFetch and the sandbox's proxy: the one place that resolves",
  "packages/core/src/machine/http/http-fetch.ts sockets":
    "configured addresses: providers, the webhook channel, MCP servers",
  // The sandbox.
  "packages/core/src/machine/egress/proxy.ts sockets": "the sandbox's proxy: a Unix socket in, checked addresses out",
  "packages/core/src/machine/egress/dial.ts sockets":
    "what the proxy, its connection and git dial: addresses that were checked",
  "packages/core/src/machine/egress/door.ts sockets":
    "looks whether anybody still listens at a door of a process that died",
  "packages/core/src/machine/egress/forward.ts sockets": "the same, over its connection",
  "packages/core/src/machine/egress/git-door.ts sockets": "the same, for git: https over its connection",
  "packages/core/src/machine/sandbox/self-test.ts sockets": "plants sockets that a confined program must not reach",
  "packages/core/src/machine/sandbox/self-test.ts programs": "starts the sandbox to test it",
  "packages/core/src/machine/sandbox/forwarder.ts sockets":
    "inside of the sandbox: from its loopback to the proxy's socket",
  // Programs of this machine.
  "packages/core/src/machine/process/supervisor.ts programs": "exec; confined",
  "packages/core/src/machine/files/follow-files.ts programs": "`tail` on files of the state directory",
  "packages/core/src/machine/egress/git-outside.ts programs":
    "the operator's own git: its configuration, and its credential helpers",
  "packages/core/src/channels/request.ts fetch":
    "what a channel asks of its platform, or of the address that the operator set for it",
  "packages/core/src/channels/media/download.ts fetch":
    "files of people, from the hosts that a channel's manifest names",
  "plugins/channel-xmpp/src/stream.ts names": "the server that the domain of the account names",
  "packages/app/src/features/speech/run-program.ts programs":
    "`speech.command` and ffmpeg; confined unless commands are not",
  "packages/app/src/features/speech/speaker.ts direct": OWN_WIRE,
  "packages/core/src/skills/npm-pack.ts programs": "`npm pack`, at `margay skills add`: an operator's command",
  "packages/app/src/features/plugins/npm.ts programs": "`npm install`, at `margay plugins add`: an operator's command",
  "packages/core/src/machine/plugins/plugin-process.ts programs":
    "plugins: node itself, without files, programs and network unless the operator says `--trusted`",
  "packages/core/src/machine/plugins/tool-plugin.ts fetch": "the name of a function that asks margay",
  "packages/core/src/machine/plugins/check-bundle.ts binding": "what it looks for in the code of plugins",
  "packages/core/src/machine/plugins/fence-worker.ts sockets": "the pipe to margay, which it was started with",
  "packages/app/src/features/mcp/client/stdio.ts programs":
    "stdio MCP servers; confined unless the operator says otherwise",
  "packages/app/src/config/secrets/keyring.ts programs": "the keyring of the system: secret-tool and security",
  "packages/app/src/features/memory/command.ts programs": "the operator's editor",
  "packages/app/src/host/tui/input/programs.ts programs":
    "the person's editor, their own `!command`, and what reads their clipboard",
  "packages/app/src/host/cli/login-link.ts programs": "the operator's browser",
  "packages/app/src/features/gateway/service.ts programs": "systemctl and launchctl",
  "packages/app/src/features/system/doctor-config.ts programs":
    "`git config --global`, at `margay doctor` as root: what the operator's own git trusts",
  "packages/app/src/features/gateway/background.ts programs": "margay itself, in the background",
  "packages/app/src/features/backup/own-process.ts programs": "margay itself, for a backup that is due or asked for",
  "packages/app/src/features/backup/targets/restic.ts programs":
    "the operator's restic, with the repository they named",
  // Whoever calls a configured address.
  "packages/app/src/features/backup/targets/server.ts direct": "the WebDAV or S3 server that the operator named",
  "packages/app/src/features/backup/targets/server.ts fetch": "the same",
  "packages/app/src/models/choose-model.ts direct": OWN_WIRE,
  "packages/core/src/http-provider.ts direct": "the same, for a library that brings none of its own",
  "packages/app/src/models/transcriber.ts direct": OWN_WIRE,
  "packages/app/src/models/find-models.ts direct": "asks this machine's own ports for local model servers",
  "packages/app/src/features/onboard/trying.ts direct":
    "asks the address that somebody typed in the set-up for its models",
  "packages/app/src/features/providers/models-listed.ts direct": OWN_WIRE,
  "packages/app/src/features/providers/routes.ts direct": "asks this machine's own ports for local model servers",
  "packages/app/src/features/providers/test-provider.ts direct": OWN_WIRE,
  "packages/app/src/models/connection.ts sockets": "tests a configured address at an administrator's request",
  "packages/app/src/features/channels/webhook/webhook.ts direct": "the receiver that the operator configured",
  "packages/app/src/features/channels/webhook/webhook.ts fetch": "the same: its parameter",
  "packages/app/src/features/mcp/client/http.ts direct":
    "the configured address of an MCP server; all others through safeFetch",
  "packages/app/src/host/control/client.ts sockets": "the command line asks this machine's own gateway",
  "packages/app/src/host/control/connect.ts sockets": "terminals and commands: the Unix socket of this state directory",
  "packages/app/src/host/control/events.ts sockets": "commands follow what a route tells: the same Unix socket",
  "plugins/channel-discord/src/gateway.ts client": "the gateway that Discord names, encrypted",
  "plugins/channel-slack/src/line/socket.ts client": "the socket that Slack names, encrypted",
  "plugins/channel-feishu/src/line/socket.ts client": "the long connection that Feishu names, encrypted",
  // Parameters that bear the name and are safeFetch.
  "packages/app/src/features/openai-api/parts.ts fetch": "safeFetch: pictures by address",
  "packages/core/src/builtin/web/engines.ts fetch": "safeFetch: search engines",
  // Listeners.
  "packages/app/src/host/control/server.ts sockets":
    "listens on the Unix socket of the state directory; it calls nobody",
  "packages/app/src/host/http/server.ts sockets": LISTENS,
  "packages/app/src/host/http/start-checks.ts sockets": "isIP",
  "packages/app/src/host/http/address.ts sockets": "BlockList and isIP",
  "packages/app/src/host/http/guards.ts sockets": "isIP",
  "packages/app/src/host/http/upgrade.ts sockets": "STATUS_CODES",
  "packages/app/src/host/http/upgrade.ts library": LISTENS,
  "packages/app/src/features/channels/webhook/server.ts sockets": "listens on 127.0.0.1 for the webhook channel",
  "packages/app/src/features/mcp/client/loopback.ts sockets": "listens on 127.0.0.1 while a sign-in is under way",
  "packages/app/src/features/system/doctor-config.ts sockets": "tries whether the gateway's port is free",
  // The pages: their policy lets them reach their own gateway alone.
  "packages/app/src/web/api.ts fetch": "their own gateway",
  "packages/app/src/web/upload.ts client": "their own gateway",
  "packages/app/src/web/connection.ts client": "their own gateway",
};
/** Stand-ins for the outside, for tests and for plugin authors: never part of the program. */
const TESTING = "packages/core/src/testing/";

function sources(): readonly string[] {
  return ["packages", "plugins"].flatMap((parent) =>
    readdirSync(join(root, parent)).flatMap((name) => {
      const folder = join(parent, name, "src");
      if (!existsSync(join(root, folder))) return [];
      return readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.[cm]?[jt]sx?$/.test(file))
        .map((file) => join(folder, file));
    }),
  );
}

function meansIn(text: string): readonly string[] {
  const code = text
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/(?<!:)\/\/.*$/gm, "")
    .replace(/^\s*(?:import|export)\s+type\b[^;]*;/gm, "")
    .replace(/\btypeof import\([^)]*\)|\bimport\(["'][^"']+["']\)\./g, "");
  return MEANS.filter(([, pattern]) => pattern.test(code)).map(([name]) => name);
}

test("no file opens a connection that has no line here, and no line has lost its reason", () => {
  const files = sources().filter((file) => !file.startsWith(TESTING));
  expect(files.length).toBeGreaterThan(500);
  const found = files.flatMap((file) =>
    meansIn(readFileSync(join(root, file), "utf8")).map((name) => `${file} ${name}`),
  );
  expect(found.toSorted()).toEqual(Object.keys(ALLOWED).toSorted());
});

test.each([
  ['import net from "node:net";', "sockets"],
  ["import { request } from 'https'", "sockets"],
  ['const { connect } = process.getBuiltinModule("node:tls");', "sockets"],
  ['await import("node:http2")', "sockets"],
  ['import "dgram";', "sockets"],
  ['const { lookup } = require("dns").promises', "names"],
  ['import { exec } from "node:child_process";', "programs"],
  ['import { Agent } from "undici";', "library"],
  ["const page = await fetch(address);", "fetch"],
  ["globalThis.fetch(address)", "fetch"],
  ['globalThis["fetch"](address)', "fetch"],
  ["const { send } = { send: globalThis.fetch }", "fetch"],
  ["new WebSocket(address)", "client"],
  ["navigator.sendBeacon(address, what)", "client"],
  ["const get = httpFetch();", "direct"],
  ['process.binding("tcp_wrap")', "binding"],
  ['new Function("return process")', "code"],
])("the guard sees %s", (line, means) => {
  expect(meansIn(`const before = 1;\n${line}\nexport {};\n`)).toContain(means);
});

test.each([
  'import type { Socket } from "node:net";',
  '// import net from "node:net";',
  "/** Calls fetch(address). */",
  "options.fetch(address, {}, signal)",
  "const safe = createSafeFetch({ clock });",
])("the guard takes no offense at %s", (line) => {
  expect(meansIn(`${line}\n`)).toEqual([]);
});
