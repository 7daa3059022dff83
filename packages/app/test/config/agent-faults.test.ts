// Agents and bindings that cannot be meant: each fault names both places.
import { expect, test } from "vitest";
import { agentFaults, type House } from "../../src/config/agent-faults.ts";
import { faultText } from "../../src/config/faults.ts";
import { peopleFaults } from "../../src/config/people-faults.ts";
import { translator } from "../../src/texts/translate.ts";

const agents = {
  kitchen: { for: ["household"] },
  mine: { tools: [] },
  open: { for: ["public"] },
  trip: { for: ["group:telegram:-1"] },
};
const people = { eva: { ids: ["telegram:7"] }, bob: { ids: [] } };
const channels = { telegram: { operators: ["42"], allowFrom: ["99"], chats: { "-1": {}, "-2": {} } } };
const bind = (...bindings: readonly object[]): House => ({ bindings });

const CASES: readonly (readonly [string, House, readonly string[]])[] = [
  ["nothing", {}, []],
  [
    "one of each form",
    bind(
      { channel: "telegram", agent: "mine" },
      { person: "eva", agent: "kitchen" },
      { channel: "telegram", person: "eva", agent: "kitchen" },
      { channel: "telegram", chat: "7", agent: "kitchen" },
      { channel: "telegram", chat: "7", person: "eva", agent: "kitchen" },
      { channel: "telegram", chat: "7", thread: "1", agent: "kitchen" },
      { channel: "telegram", chat: "7", thread: "1", person: "eva", agent: "kitchen" },
    ),
    [],
  ],
  [
    "the same channel twice",
    bind({ channel: "irc", agent: "main" }, { channel: "irc", agent: "open" }),
    ["bindings[1]: bindings[0] holds for the same"],
  ],
  [
    "the same chat twice",
    bind({ channel: "irc", chat: "1", agent: "open" }, { channel: "irc", chat: "1", agent: "open" }),
    ["bindings[1]: bindings[0] holds"],
  ],
  [
    "two threads",
    bind(
      { channel: "irc", chat: "1", thread: "a", agent: "open" },
      { channel: "irc", chat: "1", thread: "b", agent: "open" },
    ),
    [],
  ],
  [
    "a person twice, beside the list",
    { bindings: [{ person: "eva", agent: "kitchen" }], people: { eva: { ids: [], agent: "main" } } },
    ["people.eva.agent: bindings[0] holds for the same"],
  ],
  [
    "no agent of that name",
    bind({ person: "eva", agent: "kichen" }),
    ['bindings[0].agent: there is no agent "kichen": see agents.kitchen'],
  ],
  [
    "no agent at all",
    { bindings: [{ person: "eva", agent: "x" }], agents: {} },
    ['bindings[0].agent: there is no agent "x": see agents.'],
  ],
  [
    "one without a setting: when it is saved and when it is read",
    { bindings: [{ person: "owner", agent: "x" }], agents: { x: {} } },
    ['bindings[0].agent: there is no agent "x": see agents.'],
  ],
  ["a person's", { people: { eva: { ids: [], agent: "nobody" } } }, ["people.eva.agent: there is no agent"]],
  ["a webhook's", { hooks: { ci: { agent: "nobody" } } }, ["gateway.hooks.ci.agent: there is no agent"]],
  ["a webhook's that is there", { hooks: { ci: { agent: "mine" } } }, []],
  [
    "a webhook's, not for who reads its chats",
    { hooks: { ci: { agent: "mine", deliver: ["telegram:7"] } } },
    ['gateway.hooks.ci.agent: The agent is not for "eva", who reads there: see agents.mine.for'],
  ],
  ["a webhook's, for them", { hooks: { ci: { agent: "kitchen", deliver: ["telegram:7"] } } }, []],
  [
    "a webhook's, of different readers",
    { hooks: { ci: { agent: "mine", deliver: ["telegram:7", "telegram:42"] } } },
    [],
  ],
  ["a webhook's, of a chat that nobody knows", { hooks: { ci: { agent: "mine", deliver: ["telegram:1000"] } } }, []],
  ["a webhook's, in a chat there is", { hooks: { ci: { agent: "mine", deliver: ["telegram:7"], session: "x" } } }, []],
  [
    "not for a person",
    bind({ person: "eva", agent: "mine" }),
    ['bindings[0]: The agent is not for "eva", who reads there: see agents.mine.for'],
  ],
  ["for the owner", bind({ person: "owner", agent: "mine" }), []],
  ["not for who is in a chat", bind({ channel: "telegram", chat: "7", agent: "mine" }), ['not for "eva"']],
  [
    "not for a group",
    bind({ channel: "telegram", chat: "-1", agent: "kitchen" }),
    ['not for "group:telegram:-1", who reads there: see agents.kitchen.for'],
  ],
  ["for that group", bind({ channel: "telegram", chat: "-1", agent: "trip" }), []],
  ["not for another group", bind({ channel: "telegram", chat: "-2", agent: "trip" }), ['not for "group:telegram:-2"']],
  [
    "a person in a group: the group reads",
    bind({ channel: "telegram", chat: "-1", person: "eva", agent: "kitchen" }),
    ['not for "group:telegram:-1"'],
  ],
  ["not for a guest", bind({ channel: "telegram", chat: "99", agent: "kitchen" }), ['not for "guest"']],
  ["the owner's chat", bind({ channel: "telegram", chat: "42", agent: "mine" }), []],
  ["a chat of which nothing is known", bind({ channel: "telegram", chat: "1000", agent: "mine" }), []],
  ["for everybody", bind({ channel: "telegram", chat: "99", agent: "open" }), []],
  ["main, anywhere", bind({ channel: "telegram", chat: "99", agent: "main" }), []],
  ["nobody", bind({ person: "zoe", agent: "open" }), ['bindings[0].person: there is no person "zoe"']],
  ["no place", bind({ agent: "open" }), ["bindings[0]: A binding asks for"]],
  ["a chat without its channel", bind({ chat: "7", agent: "open" }), ["bindings[0]: A binding asks for"]],
  [
    "a thread without its chat",
    bind({ channel: "irc", thread: "7", agent: "open" }),
    ["bindings[0]: A binding asks for"],
  ],
  ["a name that is none", { agents: { "My Agent": {} } }, ['agents.My Agent: "My Agent" is no name for an agent']],
  [
    "none is no name: /agent none takes a choice back",
    { agents: { none: { tools: [] } } },
    ['agents.none: "none" is no name'],
  ],
  ["main is no name", { agents: { main: {} } }, ['agents.main: "main" is no name']],
];

test.each(CASES)("PE70 %s", (_name, house, expected) => {
  const faults = agentFaults({ agents, people, channels, ...house }).map((fault) => faultText(fault, translator("en")));
  expect(faults.length).toBe(expected.length);
  for (const [index, text] of expected.entries()) expect(faults[index]).toContain(text);
  for (const fault of agentFaults({ agents, people, channels, ...house }))
    expect(faultText(fault, translator("zh-CN"))).toMatch(/\p{Script=Han}/u);
});

test("CH92 an account of a platform cannot be called as an entrance of margay itself, where whoever writes is the owner", () => {
  const named = (...names: readonly string[]): readonly string[] =>
    peopleFaults({}, Object.fromEntries(names.map((name) => [name, { kind: "telegram" }]))).map((fault) =>
      faultText(fault, translator("en")),
    );
  expect(named("telegram", "work", "tele-2", "a_b")).toEqual([]);
  const refused = [
    "web",
    "api",
    "cli",
    "cron",
    "heartbeat",
    "system",
    "direct",
    "hook",
    "heard",
    "voice",
    "Work",
    "a.b",
  ];
  expect(named(...refused)).toEqual(
    refused.map((name) => expect.stringContaining(`channels.${name}: "${name}" is no name for a channel`)),
  );
});

test.for([
  [["ada", { value: "eva@x", person: "eva" }, { value: "boss", person: "owner" }], []],
  [[{ value: "carl@x", person: "carl" }], ['gateway.proxyAuth.users[0].person: there is no person "carl" in people.']],
  [
    ["ada", { value: "ada", person: "eva" }],
    ['gateway.proxyAuth.users[1]: "ada" stands in gateway.proxyAuth.users[0] too'],
  ],
] as const)("PE29a a user of the proxy stands for somebody who is there, once: %j", ([users, expected]) => {
  const found = peopleFaults(people, {}, { peers: [], header: "Remote-User", users });
  const t = translator("en");
  expect(found.map((fault) => faultText(fault, t))).toEqual(expected.map((text) => expect.stringContaining(text)));
});
