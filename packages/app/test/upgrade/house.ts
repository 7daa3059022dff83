/** A home at one place, with the model, the receiver and the ports of its configuration: the same for each copy of it and each release. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import type { Commit, JsonObject } from "@margay/core";
import { callsTool, says, startMockModel, type MockModel } from "@margay/core/testing";
import { callsTools, type RecordedRequest, type Reply } from "@margay/core/internal/testing";
import { postSigned } from "../channels/support.ts";
import type { Delivered } from "../durability/busy-world.ts";
import { answer, errandText, RAN } from "../durability/errands.ts";
import { journalsOf, starts, type Starts } from "../durability/killed-gateway.ts";
import { freePort } from "../free-port.ts";

const SECRET = "secret-of-the-webhook";
export const GUEST = "build-server";
const LOOK_MS = 40;
/** What stands still for so long will not go on. */
export const STUCK_MS = 120_000;

export interface House extends AsyncDisposable {
  /** The state directory. */
  readonly home: string;
  readonly workspace: string;
  /** What the receiver of the webhook took since it was opened last. */
  readonly delivered: readonly Delivered[];
  readonly start: Starts["start"];
  readonly model: () => MockModel;
  /** The model and the receiver begin anew, and have seen nothing. */
  open(): Promise<void>;
  /** From now on the receiver is not reached, and the model does not answer who names `STALLED`. */
  darken(): Promise<void>;
  /** What runs dies. */
  end(): Promise<void>;
  journals(): ReadonlyMap<string, readonly Commit[]>;
  /** Lines that commands left. */
  ran(): readonly string[];
  /** A message by the webhook. @returns its status. */
  post(id: string, chat: string, text: string): Promise<number>;
  /** As docs/install.md says: `cp -a` of all of it, elsewhere. */
  keep(name: string): string;
  /** What was kept takes the place of what is there. */
  bring(name: string): void;
}

export interface HouseOptions {
  /** Somebody beside the owner writes too; not every release knows them. */
  readonly people: boolean;
}

/** Has them tell another person something, so often. */
export function tellText(id: string, to: string, times: number): string {
  return `[tell ${id} ${to} ${times}]`;
}

/** Has a job made that asks for that errand in so many milliseconds. */
export function laterText(id: string, ms: number): string {
  return `[later ${id} ${ms}]`;
}

/** Requests that name one of these are held for ever. */
export const STALLED = "r3x1z";

export async function openHouse({ people }: HouseOptions): Promise<House> {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), "margay-upgrade-")));
  const place = join(directory, "place");
  const [home, workspace] = [join(place, "home"), join(place, "workspace")];
  mkdirSync(home, { recursive: true, mode: 0o700 });
  mkdirSync(join(workspace, dirname(RAN)), { recursive: true });
  writeFileSync(join(workspace, "a.txt"), "alpha\n");
  const [gateway, webhook, receiver, vendor] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const config = configuration({ workspace, gateway, webhook, receiver, vendor, people });
  writeFileSync(join(home, "config.json"), JSON.stringify(config), { mode: 0o600 });
  const { start, end } = starts({ home, directory: place });
  const world = createWorld(receiver, vendor);
  const kept = (name: string): string => join(directory, `kept-${name}`);
  return {
    home,
    workspace,
    get delivered() {
      return world.delivered;
    },
    start,
    end,
    model: world.model,
    open: world.open,
    darken: world.darken,
    journals: () => journalsOf(join(home, "sessions")),
    ran: () => readOr(join(workspace, RAN)).split("\n").filter(Boolean),
    post: async (id, chat, text) =>
      (
        await postSigned(
          webhook,
          { id, chat, text, ...(chat === "a" ? { sender: GUEST } : { sender: chat, private: true }) },
          { secret: SECRET },
        )
      ).status,
    keep: (name) => {
      copy(place, kept(name));
      return kept(name);
    },
    bring: (name) => copy(kept(name), place),
    [Symbol.asyncDispose]: async () => {
      await end();
      await world.close();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function copy(from: string, to: string): void {
  rmSync(to, { recursive: true, force: true, maxRetries: 5 });
  execFileSync("cp", ["-a", from, to]);
}

interface Places {
  readonly workspace: string;
  readonly gateway: number;
  readonly webhook: number;
  readonly receiver: number;
  readonly vendor: number;
  readonly people: boolean;
}

/** Only keys that every release knows, but for the people. */
function configuration({ workspace, gateway, webhook, receiver, vendor, people }: Places): JsonObject {
  return {
    model: "mock/mock-model",
    providers: { mock: { api: "openai-chat", baseUrl: `http://127.0.0.1:${vendor}/v1`, apiKey: "test-key-for-mock" } },
    agent: { requestAttempts: 10 },
    memory: { keep: 2 },
    tools: { exec: { sandbox: "none" } },
    policy: {
      approvalTimeoutSeconds: 86_400, // what waits goes on waiting while a run lasts
      rules: [
        ...["exec", "cron", "remember"].map((tool) => ({ tool, action: "allow" })),
        { tool: "write_file", match: "note-", action: "ask" },
      ],
    },
    channels: {
      webhook: {
        enabled: true,
        secret: SECRET,
        allowFrom: [GUEST],
        options: { url: `http://127.0.0.1:${receiver}/`, port: webhook },
      },
    },
    workspace,
    heartbeat: { enabled: false },
    gateway: { port: gateway, limits: { requestsPerMinute: 100_000, sendsPerMinute: 100_000 } },
    ...(people && {
      people: {
        owner: { ids: ["webhook:ada"], name: "Ada" },
        eva: { ids: ["webhook:eva"], name: "Eva" },
        bob: { ids: ["webhook:bob"], name: "Bob" },
      },
    }),
  };
}

interface World {
  readonly delivered: readonly Delivered[];
  readonly model: () => MockModel;
  open(): Promise<void>;
  darken(): Promise<void>;
  close(): Promise<void>;
}

function createWorld(receiverPort: number, vendorPort: number): World {
  let delivered: Delivered[] = [];
  let receiver: Server | undefined;
  let model: MockModel | undefined;
  let holds = false;
  const closeReceiver = async (): Promise<void> => {
    const server = receiver;
    receiver = undefined;
    if (server === undefined) return;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    server.closeAllConnections();
    await closed;
  };
  const close = async (): Promise<void> => {
    await closeReceiver();
    await model?.close().catch(() => {}); // what was wrong with the requests is among the broken promises
    model = undefined;
  };
  return {
    get delivered() {
      return delivered;
    },
    model: () => {
      if (model === undefined) throw new Error("the house is not open");
      return model;
    },
    open: async () => {
      await close();
      holds = false;
      const took: Delivered[] = [];
      delivered = took;
      model = await startMockModel({ port: vendorPort });
      const answering = (request: RecordedRequest): Reply =>
        holds && request.texts("user").join("\n").includes(STALLED) ? HELD : answered(request);
      model.route(() => true, ...Array.from({ length: 2000 }, () => answering));
      const server = createServer(async (request, response) => {
        let raw = "";
        for await (const chunk of request.setEncoding("utf8")) raw += String(chunk);
        took.push(JSON.parse(raw) as Delivered); // of the program
        response.end();
      });
      await new Promise<void>((resolve) => server.listen(receiverPort, "127.0.0.1", resolve));
      receiver = server;
    },
    darken: async () => {
      holds = true;
      await closeReceiver();
    },
    close,
  };
}

const HELD: Reply = {
  kind: "raw",
  status: 200,
  headers: { "content-type": "text/event-stream" },
  chunks: [],
  end: "hang",
};
/** A function of the request alone, as of the random suites, and what they do not ask. */
function answered(request: RecordedRequest): Reply {
  const last = request.messages.findLast(({ role }) => role === "user");
  const text = last?.parts.map((part) => (part.type === "text" ? part.text : "")).join("\n") ?? "";
  const [, job, ms = "0"] = /\[later (\w+) (\d+)\]/.exec(text) ?? [];
  if (job !== undefined) {
    if (request.toolResults.length > 0) return says(`Answer ${job}.`);
    const message = errandText({ kind: "job", id: `${job}j` });
    const at = new Date(Date.now() + Number(ms)).toISOString(); // what is journaled counts, not what is asked again
    return callsTool("cron", { action: "add", at, misfire: "latest_once", message });
  }
  const [, id, to = "", times = "1"] = /\[tell (\w+) (\w+) (\d+)\]/.exec(text) ?? [];
  if (id === undefined) return answer(request);
  if (request.toolResults.length > 0) return says(`Answer ${id}.`);
  return callsTools(
    Array.from({ length: Number(times) }, (_, index) => ({
      name: "message",
      args: { channel: "webhook", chat_id: to, content: `A secret, ${id} ${index}` },
    })),
    { text: "Telling. " },
  );
}

export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  ms: number = STUCK_MS,
): Promise<void> {
  const deadline = performance.now() + ms;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`stuck after ${Math.round(ms / 1000)} s: ${what}`);
    await wait(LOOK_MS);
  }
}

function readOr(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return ""; // never written
  }
}
