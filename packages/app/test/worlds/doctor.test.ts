/** R427: each check of `margay doctor` finds what is broken, and the repair that it prints, carried out as printed, repairs it. */
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer, type Server } from "node:net";
import { join } from "node:path";
import { openFileDocs, systemClock } from "@margay/core/internal";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { openPairing } from "../../src/host/pairing.ts";
import { DOCTOR_CHECKS } from "../../src/compose/doctor-checks.ts";
import { userNamed } from "./user.ts";
import { makeWorld, type World } from "./world.ts";

interface Found {
  readonly id: string;
  readonly level: string;
  readonly text: string;
  readonly repair?: string;
}

interface Case {
  readonly name: string;
  readonly id: string;
  readonly level: "problem" | "warning";
  /** @returns what is to be undone after the repair. */
  readonly breaks: (world: World) => Promise<unknown> | void;
  readonly says: RegExp;
  /** Doctor's own words, with what only the person knows filled in. */
  readonly fillIn?: (repair: string) => string;
}

let world: World;
/** An ordinary user, whom rights stop. */
const user = userNamed("an ordinary user");
let other: Server | undefined;

beforeAll(async () => {
  world = await makeWorld({ user, umask: "022", gateway: false });
  await world.calls({ name: "exec", args: { command: "echo used > made.txt" } });
});
afterAll(async () => {
  other?.close();
  await world?.[Symbol.asyncDispose]();
});

const set = async (key: string, value: string): Promise<void> => {
  const { code, err } = await world.margay("config", "set", key, value);
  if (code !== 0) throw new Error(err);
};
const doctor = async (): Promise<{ readonly code: number | null; readonly found: readonly Found[] }> => {
  const { code, out, err } = await world.margay("doctor", "--json");
  if (out === "") throw new Error(`doctor ended with ${code}: ${err}`);
  const { findings } = JSON.parse(out) as { findings: readonly Found[] };
  return { code, found: findings.filter(({ level }) => level !== "ok") };
};
/** As the person would, with an editor. */
const write = (path: string, text: string): void => {
  writeFileSync(path, text, { mode: 0o600 });
  if (user.change) chownSync(path, user.uid, user.gid);
};
const dayFile = (): string =>
  join(world.home, "audit", readdirSync(join(world.home, "audit")).find((name) => name.endsWith(".jsonl")) ?? "");

/** A provider of this machine under a name that the catalog knows, before anybody gave it a key. */
const keyless = async (url: string): Promise<void> => {
  await set("providers.openai.api", "openai-chat");
  await set("providers.openai.baseUrl", `${url}/v1`);
  await world.margay("config", "unset", "providers.openai.apiKey");
};
const webhookFor = async (allowFrom: string): Promise<void> => {
  await set("channels.webhook.secret", "d5ceb8a0b9f94a3e8f9e7a5c2f6b1d80");
  await set("channels.webhook.allowFrom", allowFrom);
  await set("channels.webhook.enabled", "true");
};
/** As somebody gets it who wrote to the webhook and was refused. */
let code = "";

const CASES: readonly Case[] = [
  {
    name: "a home that cannot be read",
    id: "home",
    level: "problem",
    breaks: ({ home }) => chmodSync(home, 0o000),
    says: /cannot be written \(EACCES/,
  },
  {
    name: "a file that others can read",
    id: "modes",
    level: "problem",
    breaks: ({ home }) => chmodSync(join(home, "config.json"), 0o644),
    says: /config\.json can be read by others/,
  },
  {
    name: "a damaged journal",
    id: "sessions",
    level: "problem",
    breaks: async ({ home, margay }) => {
      await margay("agent", "-m", "hi", "--session", "cli:damaged");
      const name = readdirSync(join(home, "sessions")).find((one) => /damaged.*\.journal$/.test(one)) ?? "";
      const path = join(home, "sessions", name);
      write(path, readFileSync(path, "utf8").replace('"seq":2', '"seq":7'));
    },
    says: /session cli:damaged/,
  },
  {
    name: "a changed line of the audit log",
    id: "audit",
    level: "problem",
    breaks: () =>
      write(
        dayFile(),
        readFileSync(dayFile(), "utf8").replace('"status":"ok"', '"status":"no"').replace('"by":"user"', '"by":"me"'),
      ),
    says: /audit log is broken at record/,
  },
  {
    name: "an audit log that was taken away",
    id: "audit",
    level: "problem",
    breaks: ({ home }) => rmSync(join(home, "audit"), { recursive: true }),
    says: /audit\/ is gone/,
  },
  {
    name: "a configuration that cannot be read",
    id: "config",
    level: "problem",
    breaks: ({ home }) => chmodSync(join(home, "config.json"), 0o000),
    says: /cannot be read/,
  },
  {
    name: "a configuration with a fault",
    id: "config",
    level: "problem",
    breaks: ({ home }) => {
      const path = join(home, "config.json");
      write(path, readFileSync(path, "utf8").replace("{", '{ "cron": { "concurrency": -1 },'));
    },
    says: /cron\.concurrency/,
    fillIn: (repair) => `EDITOR=fix; fix() { sed -i 's/{ "cron": { "concurrency": -1 },/{/' "$1"; }; ${repair}`,
  },
  {
    name: "a workspace that is closed to commands (DF14)",
    id: "exec",
    level: "problem",
    breaks: ({ workspace }) => chmodSync(workspace, 0o500),
    says: /the workspace .* cannot be entered or written to/,
  },
  {
    name: "no sandbox",
    id: "exec",
    level: "warning",
    breaks: () => set("tools.exec.sandbox", "none"),
    says: /nothing is confined/,
  },
  {
    name: "an MCP server that does not start",
    id: "mcp",
    level: "problem",
    breaks: ({ margay }) => margay("mcp", "add", "dead", "--", "no-such-server-anywhere"),
    says: /MCP server dead does not work: .*no-such-server-anywhere/,
  },
  {
    name: "a channel that admits everybody",
    id: "channels",
    level: "warning",
    breaks: () => webhookFor('["*"]'),
    says: /channel webhook admits everybody/,
    fillIn: (repair) => repair.replace("YOUR-ID", "42"),
  },
  {
    name: "a channel that admits nobody",
    id: "channels",
    level: "warning",
    breaks: async ({ home }) => {
      await webhookFor("[]");
      rmSync(join(home, "channels"), { recursive: true, force: true });
      const folder = join(home, "channels");
      code = (await openPairing(openFileDocs(home), systemClock()).offer("webhook", "42")) ?? "";
      if (user.change) for (const path of [folder, join(folder, "pairing.json")]) chownSync(path, user.uid, user.gid);
    },
    says: /channel webhook is on and admits nobody/,
    fillIn: (repair) => repair.replace("CODE", code),
  },
  {
    name: "a channel with a setting that it has not, with which no gateway starts (CH90)",
    id: "channelSettings",
    level: "problem",
    breaks: ({ home }) => {
      const path = join(home, "config.json");
      const config = JSON.parse(readFileSync(path, "utf8")) as { readonly channels?: object };
      const telegram = { enabled: true, token: "1:x", allowFrom: ["1"], options: { colour: "red" } };
      write(path, JSON.stringify({ ...config, channels: { ...config.channels, telegram } }));
    },
    says: /channels\.telegram \(Telegram\): unknown parameter options\.colour/,
  },
  {
    name: "a heartbeat to a channel that there is not (PE85)",
    id: "targets",
    level: "problem",
    breaks: ({ home }) => {
      const path = join(home, "config.json");
      const config = JSON.parse(readFileSync(path, "utf8")) as object;
      write(path, JSON.stringify({ ...config, heartbeat: { target: "signal:42" } }));
    },
    says: /heartbeat\.target names signal:42, and no model is asked meanwhile: there is no channel signal/,
  },
  {
    name: "an MCP server that nothing confines",
    id: "mcp",
    level: "warning",
    breaks: async ({ margay }) => {
      const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
      await margay("mcp", "add", "all", "--", "node", server, "stdio");
      const { out } = await margay("mcp", "test", "all", "--json");
      const { manifestHash } = JSON.parse(out) as { readonly manifestHash: string };
      await margay("mcp", "approve", "all", "--approve-hash", manifestHash);
      await set("mcpServers.all.sandbox", "false");
    },
    says: /MCP server all runs without a sandbox/,
    // It works confined; the worlds of the other cases have none.
    fillIn: (repair) => `${repair} && margay mcp test all && margay mcp remove all`,
  },
  {
    name: "an MCP server that nobody has looked at (SC44)",
    id: "mcp",
    level: "warning",
    breaks: ({ margay }) => {
      const server = createRequire(import.meta.url).resolve("@modelcontextprotocol/server-everything/dist/index.js");
      return margay("mcp", "add", "new", "--", "node", server, "stdio");
    },
    says: /MCP server new \(\d+ tools\) waits for review/,
    // A script has looked at it elsewhere. The worlds of the other cases have none.
    fillIn: (repair) =>
      `${repair} --approve-hash "$(margay mcp test new --json | sed 's/.*"manifestHash":"\\([0-9a-f]*\\)".*/\\1/')" && margay mcp remove new`,
  },
  {
    name: "a program that crashed again and again",
    id: "schedule",
    level: "warning",
    breaks: async ({ run }) => {
      const crash = `margay gateway --no-open > /dev/null 2>&1 & pid=$!; while [ ! -s ~/.margay/gateway.json ]; do sleep 0.1; done; kill -9 $pid; wait $pid`;
      const crashes = `for n in 1 2 3 4; do rm -f ~/.margay/gateway.json; ${crash}; done`;
      await run("/bin/sh", "-c", crashes);
    },
    says: /crash/,
  },
  {
    name: "a port that another program has",
    id: "port",
    level: "problem",
    breaks: async () => {
      other = createServer();
      const port = await new Promise<number>((resolve) =>
        other?.listen(0, "127.0.0.1", () => {
          const address = other?.address();
          resolve(typeof address === "object" && address !== null ? address.port : 0);
        }),
      );
      await set("gateway.port", String(port));
    },
    says: /is in use by another program/,
  },
  {
    name: "a gateway for everybody without a password",
    id: "gateway",
    level: "problem",
    breaks: () => set("gateway.host", "0.0.0.0"),
    says: /0\.0\.0\.0/,
  },
  {
    name: "recordings for a model that cannot hear",
    id: "transcription",
    level: "problem",
    breaks: () => set("agent.transcriptionModel", "anthropic/claude-opus-5"),
    says: /turns speech into text/,
    // The person has such a key.
    fillIn: (repair) =>
      `export OPENAI_API_KEY=sk-of-the-person; ${repair} && margay config set agent.transcriptionModel null`,
  },
  {
    name: "a program to read aloud with that there is not",
    id: "speech",
    level: "problem",
    breaks: () => set("speech.command", '["no-such-speaker-anywhere"]'),
    says: /no-such-speaker-anywhere/,
  },
  {
    name: "a model without its key",
    id: "model",
    level: "problem",
    breaks: async ({ model }) => {
      await keyless(model.url);
      await set("model", "openai/gpt-5");
    },
    says: /OPENAI_API_KEY/,
    fillIn: (repair) => `printf %s sk-of-the-person | ${repair}`,
  },
  {
    name: "practice mode",
    id: "model",
    level: "warning",
    breaks: async ({ margay }) => {
      // Whatever another of these tests left of it: a provider of the catalog has a model of its own.
      for (const field of ["api", "baseUrl", "apiKey"]) await margay("config", "unset", `providers.openai.${field}`);
      await set("model", "null");
    },
    says: /practice/,
    // The person has a key, takes what is found by it, and keeps it; their provider is the one of this test.
    fillIn: (repair) =>
      `export OPENAI_API_KEY=sk-of-the-person; ${repair} --yes && printf %s $OPENAI_API_KEY | margay config set providers.openai.apiKey - && margay config set providers.openai.api openai-chat && margay config set providers.openai.baseUrl ${world.model.url}/v1`,
  },
];

/** These say how it is, and find nothing wrong. */
const SAY_ONLY: readonly string[] = ["lock", "workspace", "budgets"];
/** Another machine, or a person, would have to carry their repair out: they are broken in tests of their own. */
const NOT_REPAIRED_HERE: readonly string[] = ["node", "clock", "labels", "skills", "backup", "moved", "plugins"];

test("R427 each check is broken by one of these tests", () => {
  const broken = new Set([...CASES.map(({ id }) => id), "disk", ...SAY_ONLY, ...NOT_REPAIRED_HERE]);
  const checks = Object.values(DOCTOR_CHECKS).flatMap((checks) => Object.keys(checks));
  expect(checks.filter((id) => !broken.has(id))).toEqual([]);
});

test("R427 DF48 a used home has 0 findings", async () => {
  expect(await doctor()).toEqual({ code: 0, found: [] });
});

for (const { name, id, level, breaks, says, fillIn = (repair: string) => repair } of CASES)
  test(`R427 DF48 ${name} is found, and the repair that doctor prints repairs it`, async () => {
    await breaks(world);
    const { code, found } = await doctor();
    expect(found).toEqual([
      { id, level, text: expect.stringMatching(says) as string, repair: expect.stringMatching(/\w/) as string },
    ]);
    expect(code).toBe(level === "problem" ? 1 : 0);
    expect(found[0]?.repair).not.toMatch(/sandbox (none|false)/);
    const repaired = await world.run("/bin/sh", "-c", fillIn(found[0]?.repair ?? "false"));
    expect(repaired).toMatchObject({ code: 0 });
    expect(await doctor()).toEqual({ code: 0, found: [] });
  });

test("DF48 what only a person can repair is found too", async () => {
  const modelOf = JSON.parse((await world.margay("config", "get", "providers.mock.baseUrl", "--json")).out) as unknown;
  await set("model", "mock/mock-model");
  await set("providers.mock.baseUrl", "http://127.0.0.1:9/v1");
  expect((await doctor()).found).toMatchObject([{ id: "model", level: "problem" }]);
  expect(modelOf).toBeTruthy();
  await set("providers.mock.baseUrl", `${world.model.url}/v1`);
  mkdirSync(join(world.workspace, "skills/mine"), { recursive: true });
  write(join(world.workspace, "skills/mine/SKILL.md"), "---\nname: mine\n---\n");
  expect((await doctor()).found).toMatchObject([{ id: "skills", level: "warning" }]);
  rmSync(join(world.workspace, "skills"), { recursive: true });
  expect(statSync(world.home).mode & 0o777).toBe(0o700);
});

const findingOf = (out: string, id: string): Found | undefined =>
  (JSON.parse(out) as { findings: readonly Found[] }).findings.find((one) => one.id === id);

test.each([
  [
    "a Node that is too old",
    "node",
    "Object.defineProperty(process.versions,'node',{value:'24.10.0'})",
    /24\.10\.0/,
    "npx -y -p node@24 margay doctor",
  ],
  ["a clock that stands in the past", "clock", "Date.now=()=>0", /1970/, "sudo timedatectl set-ntp true"],
])(
  "R427 %s is found, and what repairs it is named: nothing here could carry it out",
  async (_, id, lie, says, repair) => {
    // The launcher looks for another Node before: main.js is what a person runs who circumvents it.
    const main = join(import.meta.dirname, "../../dist/main.js");
    const { out } = await world.run(
      process.execPath,
      "--import",
      `data:text/javascript,${lie}`,
      main,
      "doctor",
      "--json",
    );
    expect(findingOf(out, id)).toEqual({ id, level: "problem", text: expect.stringMatching(says) as string, repair });
    expect(findingOf((await world.margay("doctor", "--json")).out, id)?.level).toBe("ok");
  },
);

test("R427 a disk that is nearly full is found, and what doctor names shows what to remove", async () => {
  // A disk of its own, in a view of the machine that ends with the command.
  const script = `
    mount -t tmpfs -o size=530m,mode=700 tmpfs ~/.margay
    margay config set gateway.port 0 > /dev/null 2>&1
    margay doctor --json > ~/.margay/1
    head -c 60000000 /dev/zero > ~/.margay/large
    margay doctor --json > ~/.margay/2
    repair=$(node -p 'JSON.parse(fs.readFileSync(process.argv[1])).findings.find(({ id }) => id === "disk").repair' ~/.margay/2)
    rm "$(sh -c "$repair" | tail -n 1 | cut -f 2)"
    margay doctor --json > ~/.margay/3
    cat ~/.margay/1 ~/.margay/2 ~/.margay/3`;
  await using own = await makeWorld({ user: userNamed("root"), umask: "077", gateway: false });
  const { out, err } = await own.run("unshare", "--mount", "/bin/sh", "-c", script);
  const levels = out
    .trim()
    .split("\n")
    .map((line) => findingOf(line, "disk")?.level);
  expect({ levels, err }).toEqual({ levels: ["ok", "warning", "ok"], err: "" });
});

test("R427 doctor names the process that works in the state directory, and nobody when it was killed", async () => {
  const running = await makeWorld({ user, umask: "077", gateway: true });
  onTestFinished(() => running[Symbol.asyncDispose]());
  const lock = async (): Promise<string | undefined> =>
    findingOf((await running.margay("doctor", "--json")).out, "lock")?.text;
  expect(await lock()).toContain(String(running.pid));
  process.kill(running.pid ?? 0, "SIGKILL");
  await expect.poll(lock).not.toContain(String(running.pid));
});
