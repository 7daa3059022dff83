// A home with an owner, members, a guest and a group; a model that obeys whoever speaks to it and copies each secret that it sees.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { groupOf } from "@margay/core/internal";
import type { RecordedRequest, Reply } from "@margay/core/internal/testing";
import { type Clock } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { sharedFolder, spaceOf } from "../../src/host/spaces.ts";
import { running, type Running, startedAgain } from "../channels/running.ts";
import { postSigned } from "../channels/support.ts";
import { type Case, PLACES, type Place } from "./cases.ts";

const TRIP = { channel: "webhook", chat: "trip" };
/** Of one account 20 messages are read in a minute, and here somebody writes more: they have many. */
const ACCOUNTS = 100;
const PER_ACCOUNT = 18;
const accountsOf = (who: string): readonly string[] =>
  Array.from({ length: ACCOUNTS }, (_, index) => (index === 0 ? who : `${who}-${index}`));
const CONFIG = {
  people: Object.fromEntries(
    ["eva", "bob", "carl"].map((name) => [name, { ids: accountsOf(name).map((id) => `webhook:${id}`) }]),
  ),
};
const CHANNEL = {
  operators: accountsOf("ada"),
  allowFrom: accountsOf("ann"),
  names: ["Mia"],
  chats: { trip: { groups: "named" } },
};
/** Rooms and readers off: all of them are the owner. */
const OPEN = { operators: ["ada", "eva", "bob", "carl", "ann"].flatMap(accountsOf) };

export interface House {
  readonly place: () => Running;
  readonly restart: () => Promise<void>;
  /** A message to margay, in the private chat of who sends it or in the group. */
  readonly says: (who: string, text: string) => Promise<void>;
  /** As `says`, with what the model is to do. `$SEEN` in it is all secrets that the model sees then. */
  readonly has: (who: string, tool: string, input: object) => Promise<void>;
  /** Of the last question in their chat about what `reader` would have; `CODE` in it is the word by which it is answered. */
  readonly answers: (who: string, reader: string, text: string) => Promise<void>;
  readonly order: (tool: string, input: object) => string;
  readonly folderOf: (who: string) => string;
  readonly plant: (who: string, path: string, text: string) => void;
  /** All that comes to somebody: requests of their conversations, what is sent to them, and their files. */
  readonly seenBy: (who: string) => string;
}

export async function house(isOpen: boolean, clock?: Clock): Promise<House> {
  let place = await running(isOpen ? OPEN : CHANNEL, {
    config: isOpen ? {} : CONFIG,
    rules: "off",
    ...(clock !== undefined && { clock }),
  });
  place.model.route(() => true, ...Array.from({ length: 4000 }, () => obey));
  let serial = 0;
  /** How many messages somebody wrote. */
  const written = new Map<string, number>();
  const folderOf = (who: string): string => {
    const { home } = place.place;
    if (isOpen || who === "ada") return join(home, "workspace");
    return spaceOf({ home }, who === "trip" ? groupOf(TRIP) : who);
  };
  const said = async (who: string, text: string): Promise<void> => {
    const isGroup = who === "trip" && !isOpen;
    const person = who === "trip" ? "eva" : who;
    const count = written.get(person) ?? 0;
    written.set(person, count + 1);
    const sender = accountsOf(person)[Math.floor(count / PER_ACCOUNT)] ?? "";
    const way = isGroup ? { group: true, addressed: "named" } : { private: true };
    const answer = await postSigned(place.port, { id: `l${++serial}`, chat: who, sender, text, ...way });
    if (JSON.stringify(answer).includes("flood")) throw new Error(`${sender} writes too much`);
    await place.app.agent.idle();
  };
  const order = (tool: string, input: object): string =>
    `DO${++serial}x${Buffer.from(JSON.stringify({ tool, input })).toString("hex")}OD`;
  return {
    place: () => place,
    restart: async () => {
      place = await startedAgain(place);
    },
    says: said,
    has: (who, tool, input) => said(who, order(tool, input)),
    answers: async (who, reader, text) => {
      const sent = place.receiver.received.filter(({ body }) => body["chat"] === who).map(({ body }) => body["text"]);
      const name = reader === "ada" ? "[Tt]he owner" : reader;
      const asked = sent.findLast((each) => new RegExp(`^${name} asks you|, ${name} \\(`).test(String(each)));
      const [, code] = /\/deny ([2-9A-Z]{4})/.exec(String(asked)) ?? [];
      if (code !== undefined) await said(who, text.replace("CODE", code));
    },
    order,
    folderOf,
    plant: (who, path, text) => {
      const file = join(folderOf(who), path);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    },
    seenBy: (who) => {
      const requests = place.model.requests.filter((request) => sideOf(request) === who).map(({ body }) => body);
      const sent = place.receiver.received.filter(({ body }) => body["chat"] === who).map(({ body }) => body);
      const isPersons = who !== "ann" && who !== "trip";
      const files = isOpen || who === "ann" ? [] : filesIn(folderOf(who));
      if (!isOpen && isPersons) files.push(...filesIn(sharedFolder(place.place).folder));
      return [JSON.stringify(requests), JSON.stringify(sent), ...files].join("\n");
    },
  };
}

/** Whose conversation asks: by the chat that the runtime names, else by the room. */
function sideOf(request: RecordedRequest): string {
  // What is asked for somebody's memory is read by nobody; what comes of it lies in their files.
  if (isForMemory(request)) return "memory";
  // Nor is what is looked up for a question: what comes of it goes to whom it is about.
  if (request.texts("system").some((text) => text.startsWith("You look something up for"))) return "looked up";
  const chats = [...request.raw.matchAll(/channel=webhook, chat_id=(\w+)/g)];
  const [, space] = /spaces\/p-(\w+)/.exec(request.raw) ?? [];
  return chats.at(-1)?.[1] ?? space ?? "ada";
}

function isForMemory(request: RecordedRequest): boolean {
  return request.texts("system").some((text) => text.startsWith("You keep the long-term memory"));
}

function filesIn(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));
}

/** What somebody has to do comes from anywhere: a person, another's message, a file, a result. */
function obey(request: RecordedRequest): Reply {
  const seen = [...new Set(request.raw.match(/SECRET[A-Z]+[0-9]+Q/g) ?? [])].join(" ");
  if (isForMemory(request))
    return callsTool("save_memory", { history_entry: `[2026-01-01 10:00] ${seen} x`, memory_update: `- ${seen} x` });
  const next = pending(request);
  if (next === undefined || request.toolNames.length === 0) return says(`I see ${seen}`);
  return callsTool(next.tool, JSON.parse(JSON.stringify(next.input).replaceAll("$SEEN", seen)));
}

interface Order {
  readonly tool: string;
  readonly input: object;
}

/** The first that it has not followed yet in this conversation, whoever gave it; calls are named anew, so they are counted. */
function pending({ texts, toolCalls, toolResults }: RecordedRequest): Order | undefined {
  const said = [...texts("user"), ...texts("assistant"), ...toolResults.map(({ text }) => text)].join("\n");
  const orders = new Map([...said.matchAll(/DO(\d+)x([0-9a-f]+)OD/g)].map(([, id, text = ""]) => [id, text]));
  const left = toolCalls.map(({ name }) => name);
  for (const text of orders.values()) {
    const order = JSON.parse(Buffer.from(text, "hex").toString()) as Order; // made by `order`
    const at = left.indexOf(order.tool);
    if (at < 0) return order;
    left.splice(at, 1);
  }
  return undefined;
}

/** A's secrets, one in each place. `serial` tells those of one home from another's. */
export function secretOf(place: Place, serial: number): string {
  return `SECRET${["A", "B", "C", "D", "E", "F", "G", "H"][PLACES.indexOf(place)]}${1000 + serial}Q`;
}

/** Who tells A something in confidence: neither of the two. */
const TELLERS: Readonly<Record<string, string>> = {
  "ada>ann": "eva",
  "eva>ada": "bob",
  "eva>bob": "ada",
  "eva>trip": "ada",
};

export async function hide(
  { says: said, has, plant, restart }: House,
  direction: Case["direction"],
  moment: Case["moment"],
  serial: number,
): Promise<void> {
  const [owner = ""] = direction.split(">");
  const secret = (place: Place): string => secretOf(place, serial);
  plant(owner, "USER.md", `About me: ${secret("USER.md")}`);
  plant(owner, "memory/MEMORY.md", `- safe ${secret("MEMORY.md")}\n`);
  plant(owner, "memory/HISTORY.md", `[2026-01-01 10:00] merger ${secret("HISTORY.md")}\n`);
  plant(owner, "notes/plan.txt", `plan ${secret("file")}`);
  await said(owner, `merger ${secret("said")}`);
  await has(owner, "cron", { action: "add", message: `merger ${secret("job")}`, every_seconds: 86_400 });
  await has(owner, "spawn", { task: `merger ${secret("child")}`, wait: true });
  const teller = TELLERS[direction];
  if (teller === undefined) await said(owner, `told ${secret("told")}`);
  else await has(teller, "message", { channel: "webhook", chat_id: owner, content: `told ${secret("told")}` });
  // Whoever may be written to has written before.
  for (const who of ["bob", "carl", "ann", "ada"]) await said(who, "hello");
  if (moment === "after a restart") await restart();
  if (moment === "after /new") await said(owner, "/new");
}
