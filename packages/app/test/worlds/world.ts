/**
 * A home as a person makes it: the built program, its own defaults, HOME of that user, nothing chmodded or configured that a
 * user would not. What is set is what every user sets, a model.
 */
import { randomUUID } from "node:crypto";
import { spawn, type ChildProcess } from "node:child_process";
import {
  chmodSync,
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { says, startMockModel, type MockModel } from "@margay/core/testing";
import { callsTools, type RecordedRequest, type Script } from "@margay/core/internal/testing";
import { freePort } from "../free-port.ts";
import { userCommand, type User } from "./user.ts";

const PROGRAM = join(import.meta.dirname, "../../bin/margay.js");

export interface WorldOptions {
  readonly user: User;
  readonly umask: string;
  /** Whether a gateway runs. */
  readonly gateway: boolean;
  /** More variables of every program. */
  readonly env?: Readonly<Record<string, string>>;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Call {
  readonly name: string;
  readonly args: object;
}

export interface World extends AsyncDisposable {
  /** HOME. */
  readonly person: string;
  /** The state directory. */
  readonly home: string;
  readonly workspace: string;
  readonly model: MockModel;
  /** The gateway's, when one runs. */
  readonly pid: number | undefined;
  /** One command of the built program. */
  margay(...argv: readonly string[]): Promise<Ran>;
  /** Any other program as the same user. */
  run(...argv: readonly string[]): Promise<Ran>;
  /** A message and its whole turn: with `agent -m`, and where a gateway runs through it. @returns what is shown of it. */
  say(text: string): Promise<string>;
  /** What is said from here on is said in a conversation of its own. */
  anew(): void;
  /** What the model answers in the next turns. */
  answers(...scripts: readonly Script[]): void;
  /** A turn in which the model makes these calls, those of a list at once. @returns the results as the model gets them. */
  calls(...calls: readonly (Call | readonly Call[])[]): Promise<readonly string[]>;
}

export async function makeWorld({ user, umask, gateway, env = {} }: WorldOptions): Promise<World> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "margay-world-")));
  chmodSync(folder, 0o711); // as /home: others pass through
  const person = join(folder, "person");
  const bin = join(folder, "bin");
  mkdirSync(bin);
  writeFileSync(join(bin, "margay"), `#!/bin/sh\nexec '${process.execPath}' '${PROGRAM}' "$@"\n`, { mode: 0o755 });
  // As the system makes one with this umask.
  mkdirSync(person);
  chmodSync(person, 0o777 & ~Number.parseInt(umask, 8));
  if (user.change) chownSync(person, user.uid, user.gid);
  // Not the rules of its prompt: after some fifty rows memory is consolidated, by a request of its own.
  const model = await startMockModel({ rules: "off" });
  const children = new Set<ChildProcess>();
  const start = (argv: readonly string[]): ChildProcess => {
    const [program, ...rest] = userCommand(user, ["/bin/sh", "-c", `umask ${umask}; exec "$@"`, "sh", ...argv]);
    const child = spawn(program, rest, {
      cwd: person,
      env: {
        PATH: `${bin}:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
        HOME: person,
        NO_COLOR: "1",
        ...env,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.add(child);
    child.once("close", () => children.delete(child));
    return child;
  };
  const run = async (...argv: readonly string[]): Promise<Ran> => {
    const child = start(argv);
    const ran = { out: "", err: "" };
    child.stdout?.setEncoding("utf8").on("data", (chunk: string) => (ran.out += chunk));
    child.stderr?.setEncoding("utf8").on("data", (chunk: string) => (ran.err += chunk));
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve));
    return { code, ...ran };
  };
  const margay = (...argv: readonly string[]): Promise<Ran> => run("margay", ...argv);
  const home = join(person, ".margay");
  const close = async (): Promise<void> => {
    await Promise.all(
      [...children].map(async (child) => {
        const gone = new Promise((resolve) => child.once("close", resolve));
        child.kill("SIGTERM");
        await gone;
      }),
    );
    try {
      await model.close();
    } finally {
      if (user.isMapped) await run("rm", "-rf", home);
      rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
    }
  };
  const settings: readonly (readonly [key: string, value: string])[] = [
    ["providers.mock.api", "openai-chat"],
    ["providers.mock.baseUrl", `${model.url}/v1`],
    ["providers.mock.apiKey", "test-key-for-mock"],
    ["model", "mock/mock-model"],
    // Worlds run beside each other: on one machine only one gateway has the default port.
    ["gateway.port", String(await freePort())],
  ];
  try {
    for (const [key, value] of settings) {
      const { code, err } = await margay("config", "set", key, value);
      if (code !== 0) throw new Error(`config set ${key}: ${err}`);
    }
    const running = gateway ? await startGateway(start(["margay", "gateway", "--no-open"]), home) : undefined;
    const answers = (...scripts: readonly Script[]): void => model.route(isTurn, ...scripts);
    let session: readonly string[] = [];
    const say = async (text: string): Promise<string> => {
      if (running !== undefined) return await running.say(text);
      const { code, out, err } = await margay("agent", "-m", text, ...session);
      if (code !== 0) throw new Error(`agent -m ended with ${code}: ${err}`);
      return out;
    };
    return {
      person,
      home,
      workspace: join(home, "workspace"),
      model,
      pid: running?.pid,
      margay,
      run,
      say,
      anew: () => {
        session = ["--session", `cli:${randomUUID()}`];
        running?.anew();
      },
      answers,
      calls: async (...calls) => {
        answers(...calls.map((call) => callsTools(Array.isArray(call) ? call : [call])), says("done"));
        await say("go");
        const count = calls.flat().length;
        const results = model.requests.filter(isTurn).at(-1)?.toolResults ?? [];
        return results.slice(-count).map(({ text }) => text);
      },
      [Symbol.asyncDispose]: close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function isTurn({ toolNames }: RecordedRequest): boolean {
  return toolNames.includes("exec");
}

interface RunningGateway {
  readonly pid: number | undefined;
  say(text: string): Promise<string>;
  anew(): void;
}

async function startGateway(child: ChildProcess, home: string): Promise<RunningGateway> {
  let said = "";
  await new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk: string) => {
        said += chunk;
        if (said.includes("#login=")) resolve();
      });
    child.once("close", (code) => reject(new Error(`the gateway ended with ${code}: ${said}`)));
  });
  const note = JSON.parse(readFileSync(join(home, "gateway.json"), "utf8")) as {
    url: string;
    token: string;
    pid: number;
  };
  const headers = { authorization: `Bearer ${note.token}`, "content-type": "application/json" };
  let path = "";
  const post = async (at: string, body: object, accept: string): Promise<string> => {
    const response = await fetch(`${note.url}/api/v1${at}`, {
      method: "POST",
      headers: { ...headers, accept },
      body: JSON.stringify(body),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${at}: ${response.status} ${text}`);
    return text;
  };
  return {
    pid: note.pid,
    anew: () => {
      path = "";
    },
    say: async (text) => {
      if (path === "") {
        const { id } = JSON.parse(await post("/sessions", {}, "application/json")) as { id: string };
        path = `/sessions/${id}/messages`;
      }
      return await post(path, { parts: [{ type: "text", text }] }, "text/event-stream"); // it ends with the turn
    },
  };
}
