// A developer's day with the built program and its own settings, a person who says yes at once, and a web on the loopback device:
// what is done, how often somebody is asked, and whether whatever is blocked says the way out.
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { says } from "@margay/core/testing";
import { type RecordedRequest, type Reply } from "@margay/core/internal/testing";
import { expect, onTestFinished, test } from "vitest";
import { referenceServer } from "../mcp/support.ts";
import { userNamed } from "../worlds/user.ts";
import { makeWorld, type World } from "../worlds/world.ts";
import { openDesk } from "./desk.ts";
import { PASSWORD, startOutside } from "./outside.ts";
import { FIRST_DAY, HOOK_SECRET, isTurn, NEXT_DAY, type Day, type Task } from "./tasks.ts";

interface Outcome {
  readonly title: string;
  readonly done: boolean;
  readonly asked: number;
  readonly wayOut: string;
  readonly said: string;
}

test(
  "SC18 SC20 SC27 SC28 SC45 a developer's day: at least 18 of 22 done with one question at most, and none blocked without the way out",
  { timeout: 300_000 },
  async () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-day-")));
    chmodSync(folder, 0o755);
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const outside = await startOutside(folder);
    onTestFinished(() => outside[Symbol.asyncDispose]());
    const user = userNamed(process.getuid?.() === 0 ? "root" : "an ordinary user");
    const world = await makeWorld({ user, umask: "022", gateway: false, env: outside.env });
    onTestFinished(() => world[Symbol.asyncDispose]());
    await settle(world);
    const desk = await openDesk(world);
    onTestFinished(() => desk.close());
    const day: Day = { world, desk, outside, replies: [] };
    const next = (request: RecordedRequest): Reply => {
      const script = day.replies.shift() ?? says("Done.");
      return typeof script === "function" ? script(request) : script;
    };
    world.model.route(isTurn, ...Array.from({ length: 500 }, () => next));
    const outcomes: Outcome[] = [];
    const known = new Set<string>();
    for (const task of FIRST_DAY) outcomes.push(await outcomeOf(task, day, known));
    await desk.nextDay();
    for (const task of NEXT_DAY) outcomes.push(await outcomeOf(task, day, known));

    process.stdout.write(`${outcomes.map(rowOf).join("\n")}\n`);
    const good = outcomes.filter(({ done, asked }) => done && asked <= 1);
    process.stdout.write(`${good.length} of ${outcomes.length} done with one question at most\n`);
    expect(outcomes).toHaveLength(22);
    expect
      .soft(outcomes.filter(({ done, wayOut }) => !done && wayOut === "").map(({ title, said }) => [title, said]))
      .toEqual([]);
    expect.soft(good.length).toBeGreaterThanOrEqual(18);
    // The password of the person went to the server and nowhere else.
    expect(world.model.requests.filter(({ raw }) => raw.includes(PASSWORD))).toEqual([]);
    expect(spawnSync("grep", ["-rlF", PASSWORD, world.home], { encoding: "utf8" }).stdout).toBe("");
  },
);

/** @param known Ids of the calls of earlier tasks. */
async function outcomeOf(task: Task, day: Day, known: Set<string>): Promise<Outcome> {
  const { world, desk } = day;
  const [requests, asked] = [world.model.requests.length, desk.asked];
  let failure = "";
  try {
    await task.act(day);
  } catch (error) {
    failure = String(error);
  }
  const mine = world.model.requests.slice(requests).filter(isTurn);
  const results: string[] = [];
  for (const { callId, text } of mine.flatMap((request) => request.toolResults)) {
    if (!known.has(callId)) results.push(text);
    known.add(callId);
  }
  const said = failure === "" ? (results.at(-1) ?? "") : failure;
  return {
    title: task.title,
    done: failure === "" && (await task.done(day, results)),
    asked: desk.asked - asked,
    wayOut: wayOut(results.join("\n")),
    said: said.trim().slice(-300),
  };
}

/** What the person has before the day begins: a name and a password for git, two projects, a file server, a hook. */
async function settle(world: World): Promise<void> {
  const { person, workspace } = world;
  const files = {
    [join(person, ".gitconfig")]:
      `[user]\n\tname = Pat Person\n\temail = pat@example.com\n[credential]\n\thelper = store\n[safe]\n\tdirectory = *\n`,
    [join(person, ".git-credentials")]: `https://me:${PASSWORD}@git.example.com\n`,
    [join(workspace, "proj/package.json")]: JSON.stringify({
      name: "proj",
      type: "commonjs",
      scripts: { build: "mkdir -p dist && cp add.js dist/", test: "node --test" },
    }).replace('"name":', '"name": '),
    [join(workspace, "proj/add.js")]: "module.exports = (a, b) => a - b;\n",
    [join(workspace, "proj/add.test.js")]:
      'require("node:test")("adds", () => require("node:assert").equal(require("./add.js")(2, 3), 5));\n',
    [join(workspace, "proj/.npmrc")]: "registry=http://registry.npmjs.org/\n",
    [join(workspace, "proj/.gitignore")]: "node_modules\ndist\n",
    [join(workspace, "py/requirements.txt")]:
      "--index-url http://pypi.org/simple/\n--trusted-host pypi.org\n--trusted-host files.pythonhosted.org\nslugger==1.0\n",
  };
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  mkdirSync(join(workspace, "notes"));
  const git = async (...argv: readonly string[]): Promise<void> => {
    const { code, err } = await world.run("git", "-C", join(workspace, "proj"), ...argv);
    if (code !== 0) throw new Error(err);
  };
  await git("init", "-q", "-b", "main");
  await git("add", "-A");
  await git("commit", "-q", "-m", "Begin");
  const hook = { scheme: "github", secret: HOOK_SECRET, prompt: "The build server says: {{body}}" };
  for (const [key, value] of Object.entries(hook))
    await setUp(world, "config", "set", `gateway.hooks.builds.${key}`, value);
  const { command, args } = referenceServer("filesystem", join(workspace, "notes")) as {
    readonly command: string;
    readonly args: readonly string[];
  };
  await setUp(world, "mcp", "add", "files", "--writable", join(workspace, "notes"), "--", command, ...args);
  const { out } = await world.margay("mcp", "test", "files", "--json");
  const { manifestHash = "" } = JSON.parse(out) as { readonly manifestHash?: string };
  // The one word of the person that a server needs before its first text is read.
  if (manifestHash !== "") await setUp(world, "mcp", "approve", "files", "--approve-hash", manifestHash);
}

async function setUp(world: World, ...argv: readonly string[]): Promise<void> {
  const { code, err } = await world.margay(...argv);
  if (code !== 0) throw new Error(`margay ${argv.join(" ")}: ${err}`);
}

/** A step that somebody can take, in the words that are used everywhere. */
function wayOut(text: string): string {
  return /Next: (?!set a longer timeout)[^\n]+|`margay [^\n`]+`/.exec(text)?.[0] ?? "";
}

function rowOf({ title, done, asked, wayOut: way, said }: Outcome): string {
  const how = done ? "" : ` | ${way === "" ? `no way out: ${said.replaceAll("\n", " ⏎ ")}` : way}`;
  return `${done ? "done" : "NOT "} | ${asked} asked | ${title}${how}`;
}
