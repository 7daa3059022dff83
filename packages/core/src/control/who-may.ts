/** Which commands somebody may give, by who they are and who reads the conversation. Pure. */
import type { CallId } from "../contract/base.ts";
import type { Sender } from "../contract/message.ts";
import type { Role, Speaker } from "../contract/people.ts";
import type { Control } from "../contract/bus.ts";
import type { ReplyQuestion } from "../contract/record.ts";
import type { AskedRelease, Session, SessionState } from "../contract/session.ts";
import { isGroup, isPerson, OWNER } from "../lib/audience.ts";
import type { CommandTexts } from "./command-texts.ts";

/** The others show what is the operator's, or change what they pay for. */
const OF_GUESTS: ReadonlySet<string> = new Set(["help", "new", "stop", "whoami"]);
/** What stays in their own room. */
const OF_MEMBERS: ReadonlySet<string> = new Set([
  ...OF_GUESTS,
  "link",
  "status",
  "history",
  "usage",
  "compact",
  "memory",
  "cron",
  "skill",
  "skills",
  "persona",
  "agent", // of those that are for them
  ...["allow", "approve", "deny", "shared"], // of what is theirs
]);
/** What somebody may do in a conversation that another person alone reads. */
const OF_OUTSIDERS: ReadonlySet<string> = new Set(["help", "stop", "whoami"]);

/** In a group all read the answer: nothing of anybody's own is shown there. */
const IN_GROUPS: Readonly<Record<Speaker["role"], ReadonlySet<string>>> = {
  guest: new Set(["help", "stop", "whoami"]),
  member: new Set(["help", "new", "stop", "whoami", "usage", "compact", "memory", "digest"]),
  operator: new Set([
    ...["help", "new", "stop", "whoami", "usage", "compact", "memory", "digest"],
    ...["here", "model", "agent", "persona", "trust"],
  ]),
};

const ANSWERS: ReadonlySet<string> = new Set(["allow", "approve", "deny"]);

/** Where all of a group may answer; elsewhere whose word it needs is asked in private. */
function isAskedHere({ turn, audience }: Pick<SessionState, "turn" | "audience">): boolean {
  return turn?.calls.some((item) => item.status === "asked" && item.of === audience) === true;
}

/** Whether somebody may give this command in this conversation. */
export function mayCommand(
  name: string,
  { state }: { readonly state: Pick<SessionState, "audience" | "turn"> },
  { role, audience: own }: Speaker,
): boolean {
  const { audience } = state;
  if (name === "link") return true; // it looks itself: with a code it is for who is nobody yet
  if (isGroup(audience) && role === "operator" && ANSWERS.has(name) && isAskedHere(state)) return true;
  if (isGroup(audience)) return IN_GROUPS[role].has(name);
  if (audience !== own && audience !== undefined && audience !== "guest") return OF_OUTSIDERS.has(name);
  if (role === "operator") return true;
  // In a chat that others read too, nobody's own room is spoken of.
  return role === "member" && audience === own ? OF_MEMBERS.has(name) : OF_GUESTS.has(name);
}

/** The lines of what they can do: `/stop all` is another matter than `/stop`. */
export function helpFor(
  session: Session,
  speaker: Speaker,
  { help: all, groupHelp, agentHelp, sharedHelp }: CommandTexts,
  isThere: (name: string) => boolean,
): string {
  const { audience } = session.state;
  const { role } = speaker;
  const more = [...(isThere("agent") ? [agentHelp] : []), ...(isThere("shared") ? [sharedHelp] : [])];
  const help = [all, ...more].join("\n");
  if (role === "operator" && !isGroup(audience)) return help;
  const names = isGroup(audience) ? IN_GROUPS[role] : role === "guest" ? OF_GUESTS : OF_MEMBERS;
  const isTheirs = (name: string): boolean =>
    names.has(name) || (ANSWERS.has(name) && mayCommand(name, session, speaker)); // where a question waits
  const lines = isGroup(audience) ? `${help}\n${groupHelp}` : help;
  const nameIn = (line: string): string => /^\/([a-z]+)(?: \[| –)/.exec(line)?.[1] ?? "";
  return lines
    .split("\n")
    .filter((line) => isTheirs(nameIn(line)))
    .join("\n");
}

/** What somebody else would be told, when the answer is for that. */
export function releaseIn({ releases = [] }: SessionState, action: Control): AskedRelease | undefined {
  if (action.type !== "allow" && action.type !== "deny") return undefined;
  const { call, hash } = action;
  return releases.findLast(
    (each) => (each.code === call || each.id === call) && (hash === undefined || each.hash === hash),
  );
}

/** Whether this is who it belongs to, and no program in their name: nobody else answers it, whatever their role. A call is any operator's. */
export function mayRelease(
  { of, asks }: Pick<AskedRelease, "of" | "asks">,
  { role, audience, program }: Speaker,
): boolean {
  if (asks !== undefined) return role === "operator" && program !== true;
  return role !== "guest" && program !== true && (audience ?? OWNER) === of;
}

/** A call that stays in the room of who asked for it is theirs to answer, as it is the operators'. */
export function isOwnCall(
  { audience: reader, turn }: Pick<SessionState, "audience" | "turn">,
  call: CallId,
  { role, audience, program }: Speaker,
): boolean {
  const item = turn?.calls.find((each) => each.call.callId === call);
  const isOf = item?.status === "asked" && item.of !== undefined && item.of === audience;
  return isOf && isPerson(reader) && reader === audience && role !== "guest" && program !== true;
}

/** Whether a question is theirs to answer in this conversation. @param mayAll they are an operator, and no program in their name. */
export function mayAnswer(
  session: Session,
  { call, hash }: Pick<ReplyQuestion, "call" | "hash">,
  who: Speaker,
  mayAll: boolean,
): boolean {
  if (who.role === "operator" && !mayAll) return false;
  const release = releaseIn(session.state, { type: "deny", call, hash });
  if (release !== undefined) return mayRelease(release, who);
  return (mayAll && mayCommand("allow", session, who)) || isOwnCall(session.state, call, who);
}

/** What runs in a group: a guest ends only what they asked for themselves. */
export function mayStop({ audience, turn, messages, pending }: SessionState, by: Sender, role: Role): boolean {
  if (!isGroup(audience) || role !== "guest") return true;
  const waiting = pending.find(({ message }) => message.id === turn?.opening)?.message;
  const opening = waiting ?? messages.find((message) => message.role === "user" && message.id === turn?.opening);
  return opening?.role === "user" && opening.from.id === by.id;
}
