// What a developer asks for on a day, and how one sees that it was done.
import { createHmac, randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { callsTool, says } from "@margay/core/testing";
import { type RecordedRequest, type Reply, type Script } from "@margay/core/internal/testing";
import type { World } from "../worlds/world.ts";
import type { Desk } from "./desk.ts";
import { PAGE, type Outside } from "./outside.ts";

export interface Day {
  readonly world: World;
  /** What the model says next. */
  replies: Script[];
  readonly desk: Desk;
  readonly outside: Outside;
}

export interface Task {
  readonly title: string;
  readonly act: (day: Day) => Promise<void>;
  /** @param results What the tools of this task said. */
  readonly done: (day: Day, results: readonly string[]) => boolean | Promise<boolean>;
}

export const HOOK_SECRET = "hook-secret-of-the-day";
type Call = readonly [tool: string, args: object];

export function isTurn({ toolNames }: RecordedRequest): boolean {
  return toolNames.includes("exec");
}

/** One message, and the calls that the model makes of it. */
function asks(title: string, chat: string, calls: readonly Call[], done: Task["done"]): Task {
  const act = async (day: Day): Promise<void> => {
    const { world, desk } = day;
    const filled = (args: object): object =>
      JSON.parse(JSON.stringify(args).replaceAll("@WORKSPACE@", world.workspace)) as object;
    day.replies = [...calls.map(([tool, args]) => callsTool(tool, filled(args))), says("Done.")];
    await desk.say(chat, title);
  };
  return { title, act, done };
}

const exec = (command: string, more: object = {}): Call => ["exec", { command, ...more }];
const said =
  (pattern: RegExp): Task["done"] =>
  (_day, results) =>
    pattern.test(results.at(-1) ?? "");
const holds =
  (path: string, pattern: RegExp): Task["done"] =>
  ({ world }) => {
    const file = join(world.workspace, path);
    return existsSync(file) && pattern.test(readFileSync(file, "utf8"));
  };

export const FIRST_DAY: readonly Task[] = [
  asks("summarize a page", "reading", [["web_fetch", { url: "http://blog.example.com/otters" }]], said(/hold hands/)),
  asks(
    "save the summary",
    "reading",
    [["write_file", { path: "notes/otters.md", content: `# Otters\n\n${PAGE}\n` }]],
    holds("notes/otters.md", /hold hands/),
  ),
];

export const NEXT_DAY: readonly Task[] = [
  asks("what day is it", "work", [exec("date")], said(/20\d\d[^]*Exit code: 0/)),
  asks("what lies here", "work", [exec("ls -la; wc -c notes/otters.md")], said(/proj[^]*otters[^]*Exit code: 0/)),
  asks(
    "how does the repository stand",
    "work",
    [exec("git status --short --branch; git log --oneline", { working_dir: "proj" })],
    said(/main[^]*Begin[^]*Exit code: 0/),
  ),
  asks(
    "edit the repository",
    "work",
    [
      ["read_file", { path: "proj/add.js" }],
      ["edit_file", { path: "proj/add.js", old_text: "a - b", new_text: "a + b" }],
    ],
    holds("proj/add.js", /a \+ b/),
  ),
  asks("run the tests", "work", [exec("node --test", { working_dir: "proj" })], said(/pass 1\b[^]*Exit code: 0/)),
  asks("build it", "work", [exec("npm run build", { working_dir: "proj" })], holds("proj/dist/add.js", /a \+ b/)),
  asks(
    "commit it",
    "work",
    [exec("git add -A && git commit -q -m 'Add, not subtract' && git log --format='%an %s'", { working_dir: "proj" })],
    said(/^Pat Person Add, not subtract$[^]*Exit code: 0/m),
  ),
  asks(
    "begin a branch",
    "work",
    [exec("git checkout -q -b idea && git diff --stat main && git branch", { working_dir: "proj" })],
    said(/\* idea[^]*Exit code: 0/),
  ),
  asks(
    "write a script and run it",
    "work",
    [
      ["write_file", { path: "report.py", content: "import os\nprint(len(os.listdir('proj')), 'files')\n" }],
      exec("python3 report.py > report.txt"),
    ],
    holds("report.txt", /^\d+ files/),
  ),
  asks("find a word", "work", [exec("grep -rn module proj --include='*.js'")], said(/add\.js:\d+[^]*Exit code: 0/)),
  asks(
    "npm install",
    "packages",
    [exec("npm install left-pad", { working_dir: "proj", timeout: 30 })],
    holds("proj/node_modules/left-pad/package.json", /left-pad/),
  ),
  asks(
    "use what was installed",
    "packages",
    [exec(`node -e 'console.log("[" + require("left-pad")("x", 4) + "]")'`, { working_dir: "proj" })],
    said(/\[ {3}x\][^]*Exit code: 0/),
  ),
  asks(
    "pip install",
    "python",
    [
      exec("python3 -m venv .venv", { working_dir: "py" }),
      exec(".venv/bin/pip install -q -r requirements.txt", { working_dir: "py" }),
      exec(".venv/bin/python -c 'import slugger; print(slugger.slug(\"A Day\"))'", { working_dir: "py" }),
    ],
    said(/a-day[^]*Exit code: 0/),
  ),
  asks(
    "fetch data with curl",
    "rates",
    [exec("curl -fsS http://api.example.com/rates.json -o rates.json")],
    holds("rates.json", /"rate":42/),
  ),
  asks(
    "clone a repository",
    "tool",
    [exec("git clone -q https://git.example.com/team/tool.git", { timeout: 30 })],
    holds("tool/README.md", /A tool/),
  ),
  asks(
    "change the clone and commit",
    "tool",
    [
      exec("echo 'How to use it.' >> README.md && git commit -qam 'Say how' && git log --format=%s", {
        working_dir: "tool",
      }),
    ],
    said(/^Say how$[^]*Exit code: 0/m),
  ),
  asks(
    "push it to a server that wants a password",
    "tool",
    [exec("git push -q origin main", { working_dir: "tool" })],
    ({ outside }) => outside.git.log("team/tool.git")[0] === "Say how",
  ),
  asks(
    "write through an MCP file server",
    "notes",
    [["mcp_files_write_file", { path: "@WORKSPACE@/notes/todo.md", content: "- water the plants\n" }]],
    holds("notes/todo.md", /plants/),
  ),
  {
    title: "a daily job, and its first run",
    act: async (day) => {
      const { desk } = day;
      const daily = { action: "add", message: "count the notes", cron_expr: "0 9 * * *" };
      day.replies = [callsTool("cron", daily), says("Added.")];
      await desk.say("plans", "a daily job");
      const { items } = (await desk.api("GET", "/cron/jobs")) as { readonly items: readonly { readonly id: string }[] };
      const count = exec("ls notes | wc -l > counted.txt");
      await unasked(day, "cron:", count, async () => {
        for (const { id } of items) await desk.api("POST", `/cron/jobs/${id}/run`, {});
      });
    },
    done: holds("counted.txt", /^\d+\n$/),
  },
  {
    title: "a webhook of the build server",
    act: async (day) => {
      const body = JSON.stringify({ build: 7, state: "failed" });
      const signature = `sha256=${createHmac("sha256", HOOK_SECRET).update(body).digest("hex")}`;
      const headers = { "x-hub-signature-256": signature, "x-github-delivery": randomUUID() };
      await unasked(day, "hook:", ["read_file", { path: "proj/package.json" }], async () => {
        const { status } = await fetch(`${day.desk.url}/hooks/builds`, { method: "POST", body, headers });
        if (status !== 202) throw new Error(`the hook answered ${status}`);
      });
    },
    done: said(/"name": *"proj"/),
  },
];

/** Plays a turn that no message of a person begins, to its end. @param key How its conversation's key begins. */
async function unasked(day: Day, key: string, [tool, args]: Call, begin: () => Promise<void>): Promise<void> {
  const { desk } = day;
  let spoken = false;
  const last = (): Reply => {
    spoken = true;
    return says("Done.");
  };
  day.replies = [callsTool(tool, args), last];
  const rests = async (): Promise<void> => {
    await begin();
    for (;;) {
      const { items } = (await desk.api("GET", "/sessions")) as {
        readonly items: readonly { readonly key: string; readonly state: string }[];
      };
      const mine = items.filter((item) => item.key.startsWith(key));
      if (spoken && mine.length > 0 && mine.every(({ state }) => state === "idle" || state === "failed")) return;
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
  };
  await desk.attend(within(PATIENCE_MS, rests(), `the turn of ${key} did not end`));
}

const POLL_MS = 200;
const PATIENCE_MS = 30_000;

async function within<T>(ms: number, work: Promise<T>, why: string): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(why)), ms);
  return await Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}
