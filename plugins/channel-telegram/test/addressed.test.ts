// Whom a message means, and who says it.
import type { Chat, User } from "grammy/types";
import { expect, test } from "vitest";
import { plugin } from "../src/index.ts";
import type { Written } from "./emulator/written.ts";
import { allTaken, outbound, never, place, PNG, run, textsOf } from "./support.ts";

interface Group {
  readonly ben: User;
  readonly bot: User;
  readonly group: Chat.SupergroupChat;
  /** A message of ours in it, and one of Ben. */
  readonly ours: number;
  readonly bens: number;
}

type Case = readonly [
  what: string,
  say: (group: Group) => string | Written,
  addressed: string | undefined,
  text?: string,
];

const CASES: readonly Case[] = [
  ["to all", () => "good morning", undefined],
  ["our name", () => "hello @Margay_Bot how are you", "named"],
  ["our name in a caption", () => ({ photo: { bytes: PNG }, text: "look, @margay_bot" }), "named"],
  [
    "our name in code",
    () => ({ text: "write @margay_bot", entities: [{ type: "code", offset: 6, length: 11 }] }),
    undefined,
  ],
  [
    "a mention that stands in code",
    () => ({
      text: "see @margay_bot",
      entities: [
        { type: "pre", offset: 0, length: 15 },
        { type: "mention", offset: 4, length: 11 },
      ],
    }),
    undefined,
  ],
  [
    "us by a link to our account",
    ({ bot }) => ({ text: "Margay, help", entities: [{ type: "text_mention", offset: 0, length: 6, user: bot }] }),
    "named",
  ],
  [
    "another by a link",
    ({ ben }) => ({ text: "Ben, help", entities: [{ type: "text_mention", offset: 0, length: 3, user: ben }] }),
    "other",
  ],
  ["a command", () => "/status now", "command", "/status now"],
  ["a command of ours by name", () => "/status@Margay_Bot now", "command", "/status now"],
  ["a command of another", () => "/status@other_bot now", "other", "/status@other_bot now"],
  ["a command in the middle", () => "try /status now", undefined],
  ["another at the start", () => "@ben_k can you", "other"],
  ["another in the middle", () => "I asked @ben_k", undefined],
  ["another at the start, and us", () => "@ben_k ask @margay_bot", "named"],
  ["an answer to us", ({ ours }) => ({ text: "yes", replyTo: ours }), "reply"],
  ["an answer to somebody else", ({ bens }) => ({ text: "yes", replyTo: bens }), "other"],
  ["an answer to somebody else that names us", ({ bens }) => ({ text: "@margay_bot?", replyTo: bens }), "named"],
  ["a forwarded command", () => ({ text: "/status", forward: "Eve" }), undefined, "Forwarded from Eve:\n/status"],
];

for (const [what, say, addressed, text = ""] of CASES)
  test(`CH208 ${what}`, async () => {
    const scene = await place();
    const { telegram, anna, channel } = scene;
    const ben = telegram.person("Ben", { username: "ben_k" });
    const group = telegram.supergroup("Trip", [anna, ben]);
    const ours = Number(await channel.send(outbound(group.id, "I am here"), never));
    const bens = telegram.write(ben, group, "Ben was here").message_id;
    const bot = { id: telegram.bot.id, is_bot: true, first_name: "Margay" };
    telegram.write(anna, group, say({ ben, bot, group, ours, bens }));
    const [first, second] = await run(channel).received(2);
    expect(first).toMatchObject({ from: { id: String(ben.id), name: "Ben", kind: "person" }, chat: "group" });
    expect(second?.addressed).toBe(addressed);
    expect(second?.origin).toEqual({ channel: "telegram", chat: String(group.id) });
    expect(textsOf([second!])[0]).toContain(text);
    await allTaken(scene);
  });

test("CH208 privacy mode is said by the test of the settings, and by it alone", async () => {
  for (const privacy of [true, false]) {
    const { telegram, host } = await place({ privacy });
    const options = { id: "telegram", settings: { token: telegram.token, baseUrl: telegram.url } };
    expect(await plugin.probe?.(options, host, never)).toBe("@margay_bot");
    expect(host.told.events.map(({ event }) => event)).toEqual(privacy ? ["telegram.privacy-mode"] : []);
  }
});

test("CH208 a private message says who, when and that it is private", async () => {
  const { telegram, anna, chat, channel } = await place();
  const { message_id: id, date } = telegram.write(anna, chat, "hello @ben_k");
  const robot = telegram.person("Robot", { is_bot: true });
  const group = telegram.group("Trip", [anna]);
  telegram.write(robot, group, "beep");
  const [first, second] = await run(channel).received(2);
  expect(first).toEqual({
    key: `${chat.id}:${id}`,
    origin: { channel: "telegram", chat: String(chat.id) },
    from: { id: String(anna.id), name: "Anna Moor", kind: "person" },
    chat: "private",
    sentAt: date * 1000,
    parts: [{ type: "text", text: "hello @ben_k" }],
  });
  expect(second?.from).toEqual({ id: String(robot.id), name: "Robot", kind: "person", bot: true });
});

test("CH208 who speaks as the group is the group, and a post of its channel is no message to anybody", async () => {
  const { telegram, anna, channel } = await place();
  const { message_id: _, ...said } = telegram.write(anna, telegram.supergroup("Trip", [anna]), "real");
  const from = { id: 1, is_bot: true, first_name: "Group" };
  const post = { ...said, message_id: 7, from, is_automatic_forward: true, text: "a post" };
  const admin = { ...said, message_id: 8, from, sender_chat: said.chat, text: "as the group" };
  const result = [post, admin].map((message, index) => ({ update_id: index + 1, message }));
  telegram.fault({ when: "getUpdates", how: { status: 200, body: { ok: true, result } } });
  const [first] = await run(channel).received(2);
  expect(textsOf([first!])).toEqual(["as the group"]);
  expect(first?.from).toEqual({ id: String(said.chat.id), name: "Trip", kind: "person" });
});
