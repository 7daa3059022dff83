/** What is wrong with persons and channels as a whole: names that mean something else, and identities that belong to two. */
import { isRecord } from "@margay/core/internal";
import { isChannelName } from "./channel-ids.ts";
import type { Fault } from "./key.ts";

/** Words that stand for more than one person, or for nobody; `heartbeat:heartbeat` is where the owner's answers. */
const TAKEN: ReadonlySet<string> = new Set(["guest", "group", "household", "public", "heartbeat"]);

export function isPersonId(name: string): boolean {
  return /^[a-z][a-z0-9-]{0,31}$/.test(name) && !TAKEN.has(name);
}

/**
 * @param people `people`, `channels` and `gateway.proxyAuth` of a configuration; what has another shape is a fault of its own.
 */
export function peopleFaults(people: unknown, channels: unknown, proxyAuth?: unknown): readonly Fault[] {
  const faults: Fault[] = [...proxyFaults(people, proxyAuth)];
  const seen = new Map<string, { readonly person: string; readonly path: string }>();
  const see = (identity: string, person: string, path: string): void => {
    const before = seen.get(identity);
    if (before === undefined) seen.set(identity, { person, path });
    else if (before.person !== person) faults.push({ path, problem: "twice", value: identity, hint: before.path });
  };
  for (const [person, value] of entriesOf(people)) {
    if (!isPersonId(person)) faults.push({ path: `people.${person}`, problem: "person", value: person });
    for (const identity of listIn(value, "ids")) see(identity, person, `people.${person}.ids`);
  }
  for (const [channel, value] of entriesOf(channels)) {
    // One without a kind is a platform of ours, or refused for what it is not.
    if (isRecord(value) && value["kind"] !== undefined && !isChannelName(channel))
      faults.push({ path: `channels.${channel}`, problem: "channelName", value: channel });
    faults.push(...hereFaults(channel, value, people));
    for (const id of listIn(value, "operators")) see(`${channel}:${id}`, "owner", `channels.${channel}.operators`);
  }
  return faults;
}

/** Where all read a question, all may answer it. */
function hereFaults(channel: string, value: unknown, people: unknown): readonly Fault[] {
  if (!isRecord(value)) return [];
  return entriesOf(value["chats"]).flatMap(([chat, set]): readonly Fault[] => {
    const own = isRecord(set) ? set["approvals"] : undefined;
    if ((own ?? value["approvals"]) !== "here") return [];
    const listed = listIn(set, "allowFrom");
    const other = outsider(channel, [...listed, ...listIn(value, "allowFrom")], listIn(value, "operators"), people);
    const path = own === undefined ? `channels.${channel}.approvals` : `channels.${channel}.chats.${chat}.approvals`;
    if (listed.length > 0 && other === undefined) return [];
    return [{ path, problem: "approvalsHere", value: "here", ...(listed.length > 0 && other && { hint: other }) }];
  });
}

/** The first of these who is no operator. */
export function outsider(
  channel: string,
  listed: readonly string[],
  operators: readonly string[],
  people: unknown,
): string | undefined {
  const others = entriesOf(people).flatMap(([person, set]) => {
    const isOperator = person === "owner" || (isRecord(set) && set["role"] === "operator");
    return isOperator ? listIn(set, "ids") : [];
  });
  return listed.find((id) => !operators.includes(id) && !others.includes(`${channel}:${id}`));
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value) : [];
}

function listIn(value: unknown, name: string): readonly string[] {
  const list = isRecord(value) ? value[name] : undefined;
  return Array.isArray(list) ? list.filter((item) => typeof item === "string") : [];
}

/** Two people behind one name are none. */
function proxyFaults(people: unknown, proxyAuth: unknown): readonly Fault[] {
  const known = new Set([OWNER, ...entriesOf(people).map(([person]) => person)]);
  const users = isRecord(proxyAuth) && Array.isArray(proxyAuth["users"]) ? proxyAuth["users"] : [];
  const seen = new Map<string, string>();
  return users.flatMap((user: unknown, index): readonly Fault[] => {
    const path = `gateway.proxyAuth.users[${index}]`;
    const { value = user, person = OWNER } = isRecord(user) ? user : {};
    const before = seen.get(String(value));
    seen.set(String(value), before ?? path);
    if (before !== undefined) return [{ path, problem: "twice", value: String(value), hint: before }];
    return known.has(String(person)) ? [] : [{ path: `${path}.person`, problem: "nobody", value: String(person) }];
  });
}

const OWNER = "owner";
