// The emulator, asked by a client that was made for Discord: what it takes for Discord is one.
import {
  API,
  Client,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type RESTPostAPIChannelMessageJSONBody,
} from "@discordjs/core";
import { DiscordAPIError, HTTPError, RateLimitError, REST } from "@discordjs/rest";
import { type SessionInfo, WebSocketManager } from "@discordjs/ws";
import { expect, onTestFinished, test } from "vitest";
import { type Discord, type DiscordOptions, startDiscord } from "./emulator/discord.ts";

const SENDING = "POST /channels/:channel/messages";

async function discordOf(options: DiscordOptions = {}): Promise<Discord> {
  const discord = await startDiscord(options);
  onTestFinished(() => discord[Symbol.asyncDispose]());
  return discord;
}

function restOf(discord: Discord): REST {
  const options = { version: "10", api: `${discord.url}/api`, retries: 0, rejectOnRateLimit: ["/"] };
  return new REST(options).setToken(discord.token);
}

interface Connected {
  readonly client: Client;
  readonly texts: readonly string[];
  readonly session: () => SessionInfo | null;
  got(count: number): Promise<void>;
}

const ALL = GatewayIntentBits.Guilds | GatewayIntentBits.GuildMessages | GatewayIntentBits.DirectMessages;

async function connect(discord: Discord, intents = ALL | GatewayIntentBits.MessageContent): Promise<Connected> {
  const rest = restOf(discord);
  let session: SessionInfo | null = null;
  const gateway = new WebSocketManager({
    token: discord.token,
    intents,
    rest,
    retrieveSessionInfo: () => session,
    updateSessionInfo: (_shard, info) => {
      session = info;
    },
  });
  const client = new Client({ rest, gateway });
  const texts: string[] = [];
  let look = (): void => {};
  client.on(GatewayDispatchEvents.MessageCreate, ({ data }) => {
    texts.push(data.content);
    look();
  });
  const ready = Promise.withResolvers<void>();
  client.once(GatewayDispatchEvents.Ready, () => ready.resolve());
  await gateway.connect();
  await ready.promise;
  onTestFinished(() => gateway.destroy());
  const got = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (texts.length >= count) resolve();
      };
      look();
    });
  return { client, texts, session: () => session, got };
}

async function codeOf(promise: Promise<unknown>): Promise<unknown> {
  const error = await promise.then(
    () => "nothing",
    (thrown: unknown) => thrown,
  );
  if (error instanceof DiscordAPIError) return error.code;
  return error instanceof HTTPError ? error.status : error;
}

test("CH100 CH220 a client reads, answers, is cut off, and gets what it missed", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const dm = discord.dm(anna);
  const { client, texts, got, session } = await connect(discord);
  discord.write(anna, dm, "hello");
  await got(1);
  await client.api.channels.createMessage(dm.id, { content: "hello Anna" });
  discord.gateway.down();
  discord.write(anna, dm, "missed");
  discord.gateway.up();
  await got(3);
  expect(texts).toEqual(["hello", "hello Anna", "missed"]);
  expect(session()?.sessionId).toBe("session-1");
  expect(discord.shown(dm).map(({ own, text }) => [own, text])).toEqual([
    [false, "hello"],
    [true, "hello Anna"],
    [false, "missed"],
  ]);
  const resumed = discord.gateway.records.find(({ what }) => what === "resume");
  expect(resumed?.path).toBe("/resume");
});

test("CH102 op 7, op 9 and a close are survived: resumed, or begun anew", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const dm = discord.dm(anna);
  const { texts, got } = await connect(discord);
  const resumes = (): number => discord.gateway.records.filter(({ what }) => what === "resume").length;
  discord.gateway.reconnect();
  await discord.until(() => resumes() === 1);
  discord.write(anna, dm, "after op 7");
  await got(1);
  discord.gateway.close(4000);
  await discord.until(() => resumes() === 2);
  discord.write(anna, dm, "after 4000");
  await got(2);
  expect(texts).toEqual(["after op 7", "after 4000"]);
  expect(discord.gateway.identifiesLeft()).toBe(999);
});

test("CH101 without the intent there is no text, but where the bot is meant", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const general = discord.channel(discord.guild("Club", anna), "general");
  const { texts, got } = await connect(discord, ALL);
  discord.write(anna, general, "to all");
  discord.write(anna, general, `<@${discord.bot.id}> to you`);
  discord.write(anna, discord.dm(anna), "alone");
  await got(3);
  expect(texts).toEqual(["", `<@${discord.bot.id}> to you`, "alone"]);
});

test.each([
  ["a wrong token", {}, ALL, 4004],
  ["an intent that is none", {}, 1 << 30, 4013],
  ["an intent that is not switched on", { messageContent: false }, ALL | GatewayIntentBits.MessageContent, 4014],
])("CH102 %s closes the socket", async (_name, options, intents, code) => {
  const discord = await discordOf(options);
  if (code === 4004) discord.revoke();
  const socket = new WebSocket(`${discord.url.replace("http", "ws")}/?v=10&encoding=json`);
  const properties = { os: "linux", browser: "test", device: "test" };
  socket.addEventListener("message", () =>
    socket.send(JSON.stringify({ op: 2, d: { token: discord.token, intents, properties } })),
  );
  const closed = await new Promise<CloseEvent>((resolve) => {
    socket.addEventListener("close", resolve);
  });
  expect(closed.code).toBe(code);
});

test("CH101 the same nonce is the same message, when it is enforced; after minutes it is another", async () => {
  let now = Date.now();
  const discord = await discordOf({ now: () => now });
  const dm = discord.dm(discord.person("Anna"));
  const api = new API(restOf(discord));
  const twice = { content: "once", nonce: "n-1", enforce_nonce: true };
  const first = await api.channels.createMessage(dm.id, twice);
  const second = await api.channels.createMessage(dm.id, twice);
  now += 600_000;
  const third = await api.channels.createMessage(dm.id, twice);
  await api.channels.createMessage(dm.id, { content: "free", nonce: "n-1" });
  expect([second.id === first.id, third.id === first.id]).toEqual([true, false]);
  expect(discord.shown(dm)).toHaveLength(3);
});

test("CH101 what Discord refuses is refused, with its codes", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const ben = discord.person("Ben");
  const general = discord.channel(discord.guild("Club", anna), "general");
  const closed = discord.channel(discord.guild("Other", anna), "closed");
  const hidden = discord.channel(discord.guild("Third", anna), "hidden");
  discord.deny(closed, "send");
  discord.deny(hidden, "view");
  discord.shut(ben);
  const { channels } = new API(restOf(discord));
  const create = (id: string, body: RESTPostAPIChannelMessageJSONBody): Promise<unknown> =>
    codeOf(channels.createMessage(id, body));
  const written = discord.write(anna, general, "hello");
  expect([
    await create("999999999999999999", { content: "x" }),
    await create(closed.id, { content: "x" }),
    await create(hidden.id, { content: "x" }),
    await create(discord.dm(ben).id, { content: "x" }),
    await create(general.id, { content: "x".repeat(2001) }),
    await create(general.id, { content: "  " }),
    await create(general.id, { content: "x", message_reference: { message_id: "999999999999999999" } }),
    await codeOf(channels.editMessage(general.id, written.id, { content: "mine" })),
    await codeOf(channels.getMessage(general.id, "999999999999999999")),
  ]).toEqual([10_003, 50_013, 50_001, 50_007, 50_035, 50_006, 50_035, 50_005, 10_008]);
  expect(await create(general.id, { content: "\u{1f600}".repeat(2000) })).toBe("nothing");
  expect(await create(general.id, { content: "x", message_reference: { message_id: written.id } })).toBe("nothing");
});

test("CH101 what Discord does not know is complained about", async () => {
  const discord = await discordOf();
  const dm = discord.dm(discord.person("Anna"));
  const rest = restOf(discord);
  await rest.post(`/channels/${dm.id}/messages`, { body: { content: "x", color: "red" } });
  await codeOf(rest.get("/nowhere"));
  expect(discord.takeComplaints()).toEqual([`${SENDING}: unknown field color`, "unknown route /api/v10/nowhere"]);
  await codeOf(rest.post(`/channels/${dm.id}/messages`, { body: { content: 5 } }));
  expect(discord.takeComplaints()).toEqual([`${SENDING}: content is no string: 5`]);
  await fetch(`${discord.url}/api/v10/users/@me`, { headers: { authorization: `Bot ${discord.token}` } });
  expect(discord.takeComplaints()).toEqual([expect.stringContaining("GET /users/@me: user agent")]);
});

test("CH101 files come and go; their addresses expire", async () => {
  let now = Date.now();
  const discord = await discordOf({ now: () => now });
  const anna = discord.person("Anna");
  const dm = discord.dm(anna);
  const { channels } = new API(restOf(discord));
  const sent = await channels.createMessage(dm.id, { files: [{ name: "a.txt", data: Buffer.from("bytes") }] });
  const [file] = sent.attachments;
  expect([file?.filename, file?.size, discord.shown(dm)[0]?.files]).toEqual(["a.txt", 5, [file?.url]]);
  expect(await (await fetch(file?.url ?? "")).text()).toBe("bytes");
  now += 2 * 86_400_000;
  expect((await fetch(file?.url ?? "")).status).toBe(404);
  const large = channels.createMessage(dm.id, { files: [{ name: "b", data: Buffer.alloc(10 * 1024 * 1024 + 1) }] });
  expect(await codeOf(large)).toBe(40_005);
});

test("CH102 messages behind an id, edits, deletions, reactions, typing, a private channel, threads", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const { channels, users } = new API(restOf(discord));
  const dm = await users.createDM(anna.id);
  const first = discord.write(anna, dm, "one");
  for (const text of ["two", "three"]) discord.write(anna, dm, text);
  const behind = await channels.getMessages(dm.id, { after: first.id, limit: 1 });
  expect(behind.map(({ content }) => content)).toEqual(["two"]);
  expect((await channels.getMessages(dm.id)).map(({ content }) => content)).toEqual(["three", "two", "one"]);
  const mine = await channels.createMessage(dm.id, { content: "draft" });
  await channels.editMessage(dm.id, mine.id, { content: "final" });
  await channels.addMessageReaction(dm.id, first.id, "👍");
  await channels.showTyping(dm.id);
  expect(discord.shown(dm).at(-1)).toMatchObject({ text: "final", edited: true });
  await channels.deleteMessage(dm.id, mine.id);
  expect(discord.shown(dm)).toHaveLength(3);
  expect([discord.reactions, discord.typing]).toEqual([[{ message: first.id, emoji: "👍" }], [dm.id]]);
  const general = discord.channel(discord.guild("Club", anna), "general");
  const thread = discord.thread(general, "a question");
  expect(await channels.get(thread.id)).toMatchObject({ type: 11, parent_id: general.id });
});

test("CH102 a button is pressed, answered within three seconds, and once", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const dm = discord.dm(anna);
  const { client } = await connect(discord);
  const components = [{ type: 1, components: [{ type: 2, style: 1, label: "Yes", custom_id: "yes" }] }];
  await client.api.channels.createMessage(dm.id, { content: "Sure?", components } as never); // what the lines say
  const [asked] = discord.shown(dm);
  const pressed = new Promise<readonly string[]>((resolve) => {
    client.once(GatewayDispatchEvents.InteractionCreate, ({ data }) => resolve([data.id, data.token]));
  });
  discord.press(anna, { id: asked?.id ?? "", channel_id: dm.id }, "yes");
  const [id = "", token = ""] = await pressed;
  await client.api.interactions.defer(id, token);
  await client.api.interactions.editReply(discord.bot.id, token, { content: "Done." });
  expect(discord.shown(dm).at(-1)?.text).toBe("Done.");
  expect(await codeOf(client.api.interactions.defer(id, token))).toBe(40_060);
});

test("CH103 limits are told in headers, and refuse: of a channel, of all", async () => {
  const discord = await discordOf({ limits: "real", now: () => 1_800_000_000_000 });
  const dm = discord.dm(discord.person("Anna"));
  const post = (): Promise<Response> =>
    fetch(`${discord.url}/api/v10/channels/${dm.id}/messages`, {
      method: "POST",
      headers: {
        authorization: `Bot ${discord.token}`,
        "user-agent": "DiscordBot (https://a.example, 1)",
        "content-type": "application/json",
      },
      body: '{"content":"x"}',
    });
  const answers: Response[] = [];
  for (let count = 0; count < 6; count++) answers.push(await post());
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429]);
  expect(answers.map(({ headers }) => headers.get("x-ratelimit-remaining")).slice(3)).toEqual(["1", "0", "0"]);
  expect(await answers[5]?.json()).toEqual({ message: "You are being rate limited.", retry_after: 5, global: false });
  discord.flood(2);
  const global = await post();
  expect([global.headers.get("x-ratelimit-global"), await global.json()]).toEqual([
    "true",
    { message: "You are being rate limited.", retry_after: 2, global: true },
  ]);
  expect(await codeOf(restOf(discord).get("/users/@me"))).toBeInstanceOf(RateLimitError);
});

test("CH103 an answer is lost, halved, garbled, or another one", async () => {
  const discord = await discordOf();
  const dm = discord.dm(discord.person("Anna"));
  const { channels } = new API(restOf(discord));
  const send = (content: string): Promise<unknown> => codeOf(channels.createMessage(dm.id, { content }));
  for (const how of ["close-before", "close-after-taking", "close-half-answer"] as const) {
    discord.fault({ when: SENDING, how });
    expect(await send(how)).toBeInstanceOf(Error);
  }
  discord.fault({ when: SENDING, how: { status: 502, body: "bad gateway" } });
  expect(await send("502")).toBe(502);
  discord.fault({ when: SENDING, how: "two-pieces" });
  expect(await send("two pieces")).toBe("nothing");
  expect(discord.shown(dm).map(({ text }) => text)).toEqual(["close-after-taking", "close-half-answer", "two pieces"]);
});

test("CH103 dispatches come in reverse, twice, and what is not resumed is begun anew", async () => {
  const discord = await discordOf();
  const anna = discord.person("Anna");
  const dm = discord.dm(anna);
  const { texts, got } = await connect(discord);
  discord.gateway.reorder(2);
  discord.write(anna, dm, "one");
  const two = discord.write(anna, dm, "two");
  discord.gateway.repeat(two);
  await got(3);
  expect(texts).toEqual(["two", "one", "two"]);
  discord.gateway.resend(1);
  await got(4);
  expect(texts[3]).toBe("two");
});
