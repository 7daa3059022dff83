/** A gateway with everything that has effects: commands, subagents, jobs, an MCP server, a webhook both ways, undo, memory. */
import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { type JsonObject } from "@margay/core";
import { openFileDocs, systemClock } from "@margay/core/internal";
import { emptyState, fold, type SessionState } from "@margay/core/internal/state";
import { openPairing } from "../../src/host/pairing.ts";
import { postSigned } from "../channels/support.ts";
import { freePort } from "../free-port.ts";
import { answer, RAN } from "./errands.ts";
import { killedGateway, PROGRAM, type KilledGateway, type Running } from "./killed-gateway.ts";

const SECRET = "secret-of-the-webhook";
export const SENDER = "build-server";
/** Of one account 20 messages are read in a minute: for who writes more. */
export const ACCOUNTS: readonly string[] = Array.from({ length: 1000 }, (_, index) => `${SENDER}-${index}`);

export interface Delivered {
  readonly reply: string;
  readonly text: string;
  readonly kind: string;
}

export interface BusyWorld extends KilledGateway {
  /** What the receiver of the webhook took, in order. */
  readonly delivered: readonly Delivered[];
  /** Lines that commands left. */
  ran(): readonly string[];
  /** Lines that the MCP server left. */
  noted(): readonly string[];
  /** A file of the workspace; empty when it is not there. */
  file(name: string): string;
  /** What each journal says now, by the id of its session. */
  states(): ReadonlyMap<string, SessionState>;
  /** A message by the webhook. @returns its status. */
  post(id: string, chat: string, text: string, sender?: string): Promise<number>;
}

export async function busyWorld(): Promise<BusyWorld> {
  const delivered: Delivered[] = [];
  const receiver = createServer(async (request, response) => {
    let raw = "";
    for await (const chunk of request.setEncoding("utf8")) raw += String(chunk);
    delivered.push(JSON.parse(raw) as Delivered); // of the program
    response.end();
  });
  await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
  const { port: receiverPort } = receiver.address() as AddressInfo; // it listens on TCP
  const port = await freePort();
  const place = await killedGateway({
    answer,
    config: (workspace) => {
      const effects = join(dirname(workspace), "effects");
      mkdirSync(effects);
      chmodSync(effects, 0o777); // the account of the sandbox is another one when margay runs as root
      mkdirSync(join(workspace, dirname(RAN)));
      return {
        tools: {},
        channels: {
          webhook: {
            enabled: true,
            secret: SECRET,
            allowFrom: [SENDER],
            operators: ACCOUNTS,
            options: { url: `http://127.0.0.1:${receiverPort}/`, port },
          },
        },
        mcpServers: {
          effects: {
            command: process.execPath,
            args: [join(import.meta.dirname, "effects-program.ts"), join(effects, "noted")],
            writable: [effects],
          },
        },
        policy: {
          rules: [
            // What the operator of a build server writes: its messages are not theirs and run commands all the same.
            ...["exec", "cron", "remember", "mcp_effects_note"].map((tool) => ({
              tool,
              action: "allow",
              untrusted: true,
            })),
            { tool: "write_file", match: "note-", action: "ask" },
          ],
        },
      } satisfies JsonObject;
    },
  });
  await approve("effects", place.home);
  // As `margay channels pair CODE --operator` does: a guest's turns could do none of this.
  mkdirSync(join(place.home, "channels"), { mode: 0o700 });
  const pairing = openPairing(openFileDocs(place.home), systemClock());
  await pairing.accept((await pairing.offer("webhook", SENDER)) ?? "", "operator");
  const read = (path: string): string => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return ""; // never written
    }
  };
  const linesOf = (path: string): readonly string[] => read(path).split("\n").filter(Boolean);
  const folded = new Map<string, { readonly commits: number; readonly state: SessionState }>();
  return {
    ...place,
    delivered,
    ran: () => linesOf(join(place.workspace, RAN)),
    noted: () => linesOf(join(dirname(place.workspace), "effects/noted")),
    file: (name) => read(join(place.workspace, name)),
    states: () => {
      const all = new Map<string, SessionState>();
      for (const [name, commits] of place.journals()) {
        const id = name.slice(0, -".journal".length);
        const known = folded.get(id);
        const state = commits.slice(known?.commits ?? 0).reduce(fold, known?.state ?? emptyState(id as never)); // named by margay
        folded.set(id, { commits: commits.length, state });
        all.set(id, state);
      }
      return all;
    },
    post: async (id, chat, text, sender = SENDER) =>
      (await postSigned(port, { id, chat, sender, text }, { secret: SECRET })).status,
    close: async () => {
      receiver.close();
      receiver.closeAllConnections();
      await place.close();
    },
  };
}

/** As a script does that has looked at it. */
async function approve(name: string, home: string): Promise<void> {
  const run = async (...argv: readonly string[]): Promise<string> => {
    const env = { ...process.env, MARGAY_HOME: home, HOME: dirname(home), NO_COLOR: "1" };
    return (await promisify(execFile)(process.execPath, [PROGRAM, "mcp", ...argv], { env })).stdout;
  };
  const { manifestHash } = JSON.parse(await run("test", name, "--json")) as { readonly manifestHash: string };
  await run("approve", name, "--approve-hash", manifestHash);
}

/** What somebody still waits for. */
export async function leftToDo(world: BusyWorld, running: Running): Promise<readonly string[]> {
  const states = world.states();
  const left = [...states].filter(([, state]) => !isSettled(state));
  if (left.length > 0) return left.map(([id, state]) => `${id} ${openOf(state)}`);
  // Journals are read one after the other, and a line is in its file before it is durable and shown: as it says itself.
  const list = (await api(running, "/sessions?limit=200"))?.body as
    | { readonly items: readonly { readonly id: string; readonly lastSeq: number }[] }
    | undefined;
  const moved = list?.items.flatMap(({ id, lastSeq }) => (states.get(id)?.seq === lastSeq ? [] : [id])) ?? [];
  if (moved.length > 0) return moved;
  const jobs = (await api(running, "/cron/jobs"))?.body as { readonly items: readonly object[] } | undefined;
  return jobs === undefined || jobs.items.length === 0 ? [] : [`${jobs.items.length} jobs`];
}

function isSettled({ turn, pending, outbox, archive, answered }: SessionState): boolean {
  return (
    turn === undefined &&
    pending.length === 0 &&
    outbox.length === 0 &&
    archive.length === 0 &&
    (answered === undefined || answered.written === true)
  );
}

/** What of a conversation is not done, for whoever must find out why. */
function openOf({ turn, pending, outbox, archive, answered }: SessionState): string {
  return JSON.stringify({
    ...(turn !== undefined && {
      turn: { ...turn, texts: turn.texts.length, calls: turn.calls.map(({ call, status }) => [call, status]) },
    }),
    pending: pending.length,
    outbox: outbox.map(({ to, attempt, retryAt }) => [to.channel, attempt, retryAt]),
    archive: archive.length,
    answered,
  });
}

/** One request with the token of this start. @returns undefined when the gateway is gone. */
export async function api(
  { url, token }: Running,
  path: string,
  { method = "GET", body, key }: { readonly method?: string; readonly body?: object; readonly key?: string } = {},
): Promise<{ readonly status: number; readonly body: never } | undefined> {
  try {
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(key !== undefined && { "idempotency-key": key }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: (text === "" ? undefined : JSON.parse(text)) as never }; // of the gateway's own schema
  } catch {
    return undefined; // killed
  }
}
