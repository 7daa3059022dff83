// Which agent holds where: the most specific binding, of those that are for who reads there.
import { describe, expect, test } from "vitest";
import {
  type Binding,
  bindingOf,
  type BindingCase,
  coversReader,
  fitsPattern,
  formOf,
} from "../../src/people/agent-binding.ts";

/** In the wrong order on purpose: it is the form that decides. */
const BINDINGS: readonly Binding[] = [
  { channel: "telegram", agent: "a-channel", at: "bindings[0]" },
  { person: "eva", agent: "a-person", at: "people.eva.agent" },
  { channel: "telegram", person: "eva", agent: "a-channel-person", at: "bindings[1]" },
  { channel: "telegram", chat: "7", agent: "a-chat", at: "bindings[2]" },
  { channel: "telegram", chat: "7", person: "eva", agent: "a-chat-person", at: "bindings[3]" },
  { channel: "telegram", chat: "7", thread: "t", agent: "a-thread", at: "bindings[4]" },
  { channel: "telegram", chat: "7", thread: "t", person: "eva", agent: "a-thread-person", at: "bindings[5]" },
  { channel: "irc", agent: "not-there", at: "bindings[6]" },
  { channel: "xmpp", agent: "main", at: "bindings[7]" },
];
const known = (person: string): boolean => person === "eva" || person === "bob";
const of = (given: BindingCase, bindings = BINDINGS) =>
  bindingOf(given, { bindings, isFor: (agent) => agent !== "not-there" });

const telegram = (chat: string, thread?: string): BindingCase["origin"] => ({
  channel: "telegram",
  chat,
  ...(thread !== undefined && { thread }),
});

const CASES: readonly (readonly [BindingCase, string, string])[] = [
  [{ origin: telegram("7", "t"), audience: "eva", person: "eva" }, "a-thread-person", "bindings[5] (thread+person)"],
  [{ origin: telegram("7", "t"), audience: "bob", person: "bob" }, "a-thread", "bindings[4] (thread)"],
  [{ origin: telegram("7", "t"), audience: "guest" }, "a-thread", "bindings[4] (thread)"],
  [{ origin: telegram("7", "u"), audience: "eva", person: "eva" }, "a-chat-person", "bindings[3] (chat+person)"],
  [{ origin: telegram("7"), audience: "eva", person: "eva" }, "a-chat-person", "bindings[3] (chat+person)"],
  [{ origin: telegram("7"), audience: "bob", person: "bob" }, "a-chat", "bindings[2] (chat)"],
  [{ origin: telegram("7"), audience: "guest" }, "a-chat", "bindings[2] (chat)"],
  [
    { origin: telegram("7"), audience: "group:telegram:7", person: "eva" },
    "a-chat-person",
    "bindings[3] (chat+person)",
  ],
  [{ origin: telegram("8"), audience: "eva", person: "eva" }, "a-channel-person", "bindings[1] (channel+person)"],
  [{ origin: telegram("8", "t"), audience: "eva", person: "eva" }, "a-channel-person", "bindings[1] (channel+person)"],
  [{ origin: telegram("8"), audience: "owner", person: "owner" }, "a-channel", "bindings[0] (channel)"],
  [{ origin: telegram("8"), audience: "guest" }, "a-channel", "bindings[0] (channel)"],
  [{ origin: { channel: "web", chat: "1" }, audience: "eva", person: "eva" }, "a-person", "people.eva.agent (person)"],
  [{ origin: { channel: "web", chat: "7" }, audience: "owner", person: "owner" }, "main", "main"],
  [{ origin: { channel: "irc", chat: "7" }, audience: "owner", person: "owner" }, "main", "main"],
  [{ origin: { channel: "irc", chat: "7" }, audience: "eva", person: "eva" }, "a-person", "people.eva.agent (person)"],
  [{ origin: { channel: "xmpp", chat: "7" }, audience: "guest" }, "main", "bindings[7] (channel)"],
  [{ origin: telegram("7", "t"), audience: "eva", person: "eva", chosen: "a-mine" }, "a-mine", "chosen"],
  [{ origin: telegram("7", "t"), audience: "eva", person: "eva", chosen: "main" }, "main", "chosen"],
  [{ origin: telegram("8"), audience: "guest", chosen: "not-there" }, "a-channel", "bindings[0] (channel)"],
];

const FORMS: readonly (readonly [Omit<Binding, "agent" | "at">, string | undefined])[] = [
  [{ channel: "c", chat: "1", thread: "t", person: "p" }, "thread+person"],
  [{ channel: "c", chat: "1", thread: "t" }, "thread"],
  [{ channel: "c", chat: "1", person: "p" }, "chat+person"],
  [{ channel: "c", chat: "1" }, "chat"],
  [{ channel: "c", person: "p" }, "channel+person"],
  [{ person: "p" }, "person"],
  [{ channel: "c" }, "channel"],
  [{}, undefined],
  [{ chat: "1" }, undefined],
  [{ channel: "c", thread: "t" }, undefined],
];

const READERS: readonly (readonly [readonly string[], string, boolean])[] = [
  [["owner"], "owner", true],
  [["owner"], "eva", false],
  [["eva"], "eva", true],
  [["eva"], "owner", false],
  [["household"], "owner", true],
  [["household"], "eva", true],
  [["household"], "gone", false],
  [["household"], "guest", false],
  [["household"], "group:irc:1", false],
  [["group:irc:1"], "group:irc:1", true],
  [["group:irc:1"], "group:irc:2", false],
  [["group"], "group:irc:2", true],
  [["guest"], "guest", true],
  [["guest"], "eva", false],
  [["public"], "guest", true],
  [["public"], "group:irc:1", true],
  [[], "owner", false],
];

describe("PE70 thread and person, thread, chat and person, chat, channel and person, person, channel, main", () => {
  test.each(CASES)("%j works with %s", (given, agent, rule) => {
    expect(of(given)).toEqual({ agent, rule });
    expect(of(given, BINDINGS.toReversed())).toEqual({ agent, rule });
  });
  test.each(FORMS)("%j has the form %s", (binding, form) => expect(formOf(binding)).toBe(form));
  test.each(READERS)("for %j: %s – %s", (readers, audience, holds) =>
    expect(coversReader(readers, audience, known)).toBe(holds),
  );
});

test.each([
  ["read_file", ["read_*"], true],
  ["read_file", ["*_file"], true],
  ["read_file", ["*"], true],
  ["read_file", ["r*_*e"], true],
  ["read_file", ["read_file"], true],
  ["read_file", ["read"], false],
  ["read_file", ["READ_*"], false],
  ["read_file", [], false],
  ["aa", ["aa*aa"], false],
  ["mcp_a_b", ["mcp_*_b", "x"], true],
  ["mcp_a_b", ["mcp_*_*_b"], false],
])("PE73 %s in %j: %s", (name, patterns, fits) => {
  expect(fitsPattern(name, patterns)).toBe(fits);
});
