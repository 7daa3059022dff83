// Keys of what the agent can do.
import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { callsTools, stalls } from "@margay/core/internal/testing";
import { happens, lastResult, offered, lastRequest, type Probe, type Probes, type World } from "./probe.ts";

/** @returns what the model was told of the call. */
async function result(world: World, name: string, args: unknown): Promise<string> {
  world.model.replies(callsTool(name, args), says("done"));
  await world.turn("go");
  return lastResult(world);
}

/** In the sandbox, as by default. */
const exec = (
  key: string,
  values: Probe["values"],
  command: string,
  see: (result: string) => unknown,
  saw: Probe["saw"],
  more: Pick<Probe, "config" | "place"> = {},
): Probes => ({
  [`tools.exec.${key}`]: { values, see: async (world) => see(await result(world, "exec", { command })), saw, ...more },
});

/** How many turns can be taken back of those that changed a file. */
async function kept(world: World, turns: number, file = "a.txt"): Promise<number> {
  for (let turn = 0; turn < turns; turn += 1) {
    world.model.replies(callsTool("exec", { command: `echo new ${turn} > ${file}` }), says("done"));
    await world.turn("write", "web:writes");
  }
  const session = await world.app.agent.sessions.find("web:writes");
  const { body } = await world.api(`/sessions/${session?.state.id}/undo`);
  const items = body.items as readonly { readonly gaps: readonly unknown[] }[];
  return items.filter(({ gaps }) => gaps.length === 0).length;
}

/** Whether a file that a command wrote over is as it was when the turn is taken back. */
async function takenBack(world: World, file: string): Promise<boolean> {
  const path = join(world.workspace, file);
  const before = readFileSync(path, "utf8");
  await kept(world, 1, file);
  const session = await world.app.agent.sessions.find("web:writes");
  await world.api(`/sessions/${session?.state.id}/undo`, { method: "POST", body: {} });
  return readFileSync(path, "utf8") === before;
}

const search = (
  key: string,
  values: Probe["values"],
  see: (world: World) => unknown,
  saw: Probe["saw"],
  given = {},
) => ({
  [`tools.webSearch.${key}`]: {
    values,
    config: ({ webUrl }: { readonly webUrl: string }): JsonObject => ({
      tools: { webSearch: { engine: "brave", baseUrl: webUrl, apiKey: "brave-configured", ...given } },
    }),
    see: async (world: World) => {
      await result(world, "web_search", { query: "otters" });
      return see(world);
    },
    saw,
  },
});

const spawn = (count: number) =>
  callsTools(Array.from({ length: count }, (_, at) => ({ name: "spawn", args: { task: `count to ${at}` } })));
/** Requests of subagents: theirs have no `spawn`. */
const isChild = ({ raw }: { readonly raw: string }): boolean => raw.includes("count to ") && !raw.includes('"spawn"');

/** The parent is asked twice, and once more when it hears the end of a subagent. */
async function heard({ model }: World): Promise<void> {
  while (model.requests.filter((one) => !isChild(one)).length < 3) await model.received(model.requests.length + 1);
}

export const TOOLS: Probes = {
  "tools.restrictToWorkspace": {
    values: [true, false],
    config: { policy: { rules: [{ tool: "read_file", action: "allow" }] } },
    see: async (world) => {
      const file = join(world.place.scratch, "outside.txt");
      writeFileSync(file, "the outside");
      return (await result(world, "read_file", { path: file })).includes("the outside");
    },
    saw: [false, true],
  },
  "tools.maxResultChars": {
    values: [1000, 9000],
    place: { prepare: ({ workspace }) => writeFileSync(join(workspace, "long.txt"), "long line\n".repeat(600)) },
    see: async (world) => (await result(world, "read_file", { path: "long.txt" })).length > 3000,
    saw: [false, true],
  },
  "tools.timeoutSeconds": {
    values: [5, 7],
    stopped: true,
    see: async (world) => {
      const deadline = world.clock.waitForSleep(4500, 7500);
      await result(world, "list_dir", { path: "." });
      return deadline;
    },
    saw: [5000, 7000],
  },
  "tools.exec.enabled": {
    values: [true, false],
    see: async (world) => {
      await world.turn("hi");
      return offered(world).includes("exec");
    },
    saw: [true, false],
  },
  ...exec("timeoutSeconds", [1, 60], "sleep 3; echo slept", (text) => text.includes("slept\n"), [false, true]),
  ...exec("maxOutputChars", [1000, 9000], "head -c 5000 /dev/zero | tr '\\0' x", (text) => /x{2000}/.test(text), [
    false,
    true,
  ]),
  ...exec("pathAppend", ["", "/opt/of-mine"], "echo $PATH", (text) => text.includes("/opt/of-mine"), [false, true]),
  ...exec("env", [[], ["WORD_OF_PROBE"]], "echo is:$WORD_OF_PROBE", (text) => text.includes("is:seen"), [false, true], {
    place: { env: { WORD_OF_PROBE: "seen" } },
  }),
  ...exec(
    "denyPatterns",
    [[], ["\\becho\\b"]],
    "echo a word",
    (text) => text.startsWith("Error: exec refused"),
    [false, true],
    {
      config: { tools: { exec: { denyAction: "refuse" } } },
    },
  ),
  ...exec("allowPatterns", [[], ["^ls\\b"]], "echo a word", (text) => text.startsWith("Error"), [false, true], {
    config: { tools: { exec: { denyAction: "refuse" } } },
  }),
  "tools.exec.denyAction": {
    values: ["ask", "refuse"],
    config: { tools: { exec: { denyPatterns: ["\\becho\\b"] } } },
    see: async (world) => {
      world.model.replies(callsTool("exec", { command: "echo a word" }), says("done"));
      const { finished } = world.app.agent.send("web:asked", "go", { attended: true });
      finished.catch(() => undefined); // whoever is asked is not there
      return happens(finished);
    },
    saw: [false, true],
  },
  "tools.exec.sandbox": {
    values: ["required", "none"],
    config: { policy: { rules: [{ tool: "exec", action: "allow" }] } },
    see: async (world) => {
      const text = await result(world, "exec", { command: `ls ${world.home}; echo end` });
      return text.includes("config.json");
    },
    saw: [false, true],
  },
  ...exec("git.name", ["Ada", "Bob"], "git config user.name", (text) => /Ada|Bob/.exec(text)?.[0], ["Ada", "Bob"]),
  ...exec("git.email", ["a@one.example", "b@two.example"], "git config user.email", (text) => /.@\w+/.exec(text)?.[0], [
    "a@one",
    "b@two",
  ]),
  // A name that nobody has: on the list it is looked up, else it is refused as what it is.
  ...exec(
    "network",
    [[], [{ host: "listed.invalid", trusted: true }]],
    "curl -s http://listed.invalid/",
    (text) => text.includes("not a public address"),
    [true, false],
  ),
  ...exec(
    "dependencies",
    ["loaded", "untrusted"],
    "cat n*/x.js",
    (text) => text.startsWith("[untrusted content"),
    [false, true],
    {
      place: {
        prepare: ({ home, workspace }) => {
          mkdirSync(join(workspace, "node_modules"), { mode: 0o777 });
          writeFileSync(join(workspace, "node_modules/x.js"), "a dependency", { mode: 0o666 });
          const tree = { v: 2, tree: "node_modules", cause: "network registry.example", at: 1 };
          writeFileSync(join(home, "file-labels.jsonl"), `${JSON.stringify(tree)}\n`);
        },
      },
    },
  ),
  "tools.undo.maxMegabytes": {
    values: [0, 100],
    see: (world) => kept(world, 1),
    saw: [0, 1],
  },
  "tools.undo.maxFileMegabytes": {
    values: [1, 50],
    place: { prepare: ({ workspace }) => writeFileSync(join(workspace, "a.txt"), "o".repeat(2_000_000)) },
    see: (world) => takenBack(world, "a.txt"),
    saw: [false, true],
  },
  "tools.undo.keepTurns": {
    values: [1, 100],
    see: (world) => kept(world, 3),
    saw: [1, 3],
  },
  "tools.undo.keepDays": {
    values: [1, 100],
    see: async (world) => {
      await kept(world, 1);
      // A turn is as old as its file: three days pass for it.
      const before = Date.now() / 1000 - 3 * 86_400;
      for (const entry of readdirSync(join(world.home, "undo"), { recursive: true, withFileTypes: true }))
        if (entry.isFile()) utimesSync(join(entry.parentPath, entry.name), before, before);
      return kept(world, 1);
    },
    saw: [1, 2],
  },
  "tools.undo.exclude": {
    values: [[], ["made"]],
    place: {
      prepare: ({ workspace }) => {
        mkdirSync(join(workspace, "made"), { mode: 0o777 });
        writeFileSync(join(workspace, "made/a.txt"), "old", { mode: 0o666 });
      },
    },
    see: (world) => takenBack(world, "made/a.txt"),
    saw: [true, false],
  },
  ...search("engine", ["brave", "searxng"], ({ web }) => "x-subscription-token" in (web.hits[0]?.headers ?? {}), [
    true,
    false,
  ]),
  ...search("apiKey", ["key-one", "key-two"], ({ web }) => web.hits[0]?.headers["x-subscription-token"], [
    "key-one",
    "key-two",
  ]),
  ...search(
    "baseUrl",
    [({ webUrl }) => `${webUrl}/one`, ({ webUrl }) => `${webUrl}/two`],
    ({ web }) => web.hits[0]?.url?.slice(0, 4),
    ["/one", "/two"],
    { engine: "searxng" },
  ),
  ...search("count", [3, 7], ({ web }) => /count=(\d+)/.exec(web.hits[0]?.url ?? "")?.[1], ["3", "7"]),
  "tools.webFetch.maxChars": {
    values: [100, 5000],
    web: (_request, response) => {
      response.setHeader("content-type", "text/plain");
      response.end("w".repeat(3000));
    },
    see: async (world) => /w{1000}/.test(await result(world, "web_fetch", { url: `${world.web.url}/page` })),
    saw: [false, true],
  },
  "tools.webFetch.allowHosts": {
    values: [[], ["127.0.0.1"]],
    see: async (world) => {
      await result(world, "web_fetch", { url: `${world.web.url}/page` });
      return world.web.hits.length > 0;
    },
    saw: [false, true],
  },
  "subagents.maxIterations": {
    values: [1, 3],
    see: async (world) => {
      const call = callsTool("list_dir", { path: "." });
      world.model.route(isChild, call, call, call, call, call);
      world.model.replies(spawn(1), says("begun"), says("heard"));
      await world.turn("go", "cli:parent");
      await heard(world);
      return world.model.requests.filter(isChild).length;
    },
    saw: [1, 3],
  },
  "agent.maxUnattended": {
    values: [0, 5],
    see: async (world) => {
      world.model.route(isChild, says("one"));
      world.model.replies(spawn(1), says("begun"), says("heard"));
      await world.turn("go", "cli:parent");
      return happens(heard(world));
    },
    saw: [false, true],
  },
  "subagents.concurrency": {
    values: [1, 2],
    see: async (world) => {
      const held = [stalls({ rest: says("one") }), stalls({ rest: says("two") })];
      world.model.route(isChild, ...held);
      world.model.replies(spawn(2), says("begun"));
      await world.turn("go", "cli:parent");
      const both = async (): Promise<void> => {
        while (world.model.requests.filter(isChild).length < 2)
          await world.model.received(world.model.requests.length + 1);
      };
      const beside = await happens(both());
      for (const one of held) one.release();
      return beside;
    },
    saw: [false, true],
  },
  "subagents.timeoutSeconds": {
    values: [444, 446],
    stopped: true,
    see: async (world) => {
      const held = stalls({ rest: says("late") });
      world.model.route(isChild, held);
      world.model.replies(spawn(1), says("begun"));
      const limit = world.clock.waitForSleep(443_000, 447_000);
      await world.turn("go", "cli:parent");
      const ms = await limit;
      held.release();
      return ms;
    },
    saw: [444_000, 446_000],
  },
  "skills.disabled": {
    values: [[], ["weather"]],
    see: async (world) => {
      await world.turn("hi");
      return lastRequest(world).texts("system").join("\n").includes("weather");
    },
    saw: [true, false],
  },
};
