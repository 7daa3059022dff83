// The emulator, asked by the clients that Slack makes: what they take for Slack is one.
import { LogLevel, SocketModeClient } from "@slack/socket-mode";
import { type ErrorCode, WebClient } from "@slack/web-api";
import { expect, onTestFinished, test } from "vitest";
import { sign } from "./emulator/calls.ts";
import { ALL_SCOPES, type Slack, type SlackOptions, startSlack } from "./emulator/slack.ts";

async function slackOf(options: SlackOptions = {}): Promise<Slack> {
  const slack = await startSlack(options);
  onTestFinished(() => slack[Symbol.asyncDispose]());
  return slack;
}

function webOf({ url, tokens }: Slack, token = tokens.bot): WebClient {
  return new WebClient(token, {
    slackApiUrl: `${url}/api/`,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logLevel: LogLevel.ERROR,
  });
}

interface Connected {
  readonly client: SocketModeClient;
  readonly events: { readonly type: unknown; readonly text: unknown; readonly retry: unknown; ack(): Promise<void> }[];
  got(count: number): Promise<void>;
}

async function connect(slack: Slack): Promise<Connected> {
  const client = new SocketModeClient({
    appToken: slack.tokens.app ?? "",
    clientOptions: { slackApiUrl: `${slack.url}/api/` },
    logLevel: LogLevel.ERROR,
  });
  const events: Connected["events"] = [];
  let look = (): void => {};
  client.on(
    "slack_event",
    (told: {
      readonly type: string;
      readonly body: { readonly event?: { readonly text?: string } };
      readonly retry_num?: number;
      ack(): Promise<void>;
    }) => {
      if (told.type === "hello") return;
      events.push({ type: told.type, text: told.body.event?.text, retry: told.retry_num, ack: () => told.ack() });
      look();
    },
  );
  await client.start();
  onTestFinished(() => client.disconnect());
  const got = (count: number): Promise<void> =>
    new Promise((resolve) => {
      look = () => {
        if (events.length >= count) resolve();
      };
      look();
    });
  return { client, events, got };
}

async function errorOf(promise: Promise<unknown>): Promise<unknown> {
  const error: unknown = await promise.then(
    () => "nothing",
    (thrown: unknown) => thrown,
  );
  const { data, code } = error as { readonly data?: { readonly error?: string }; readonly code?: ErrorCode };
  return data?.error ?? code ?? error;
}

test("CH100 CH230 the clients of Slack read, answer, and are told again what they did not acknowledge", async () => {
  const slack = await slackOf();
  const anna = slack.person("Anna");
  const dm = slack.dm(anna);
  const { events, got } = await connect(slack);
  slack.write(anna, dm, "hello");
  await got(1);
  slack.sockets.retry();
  await got(2);
  expect(events.map(({ type, text, retry }) => [type, text, retry])).toEqual([
    ["events_api", "hello", 0],
    ["events_api", "hello", 1],
  ]);
  await events[1]?.ack();
  await slack.until(() => slack.sockets.waiting.size === 0);
  const web = webOf(slack);
  expect(await web.auth.test()).toMatchObject({ ok: true, user: "margay", response_metadata: { scopes: ALL_SCOPES } });
  const sent = await web.chat.postMessage({
    channel: dm.id,
    text: "hello Anna",
    metadata: { event_type: "margay", event_payload: { reply: "r1" } },
    blocks: [{ type: "section", text: { type: "mrkdwn", text: "*hello* Anna", verbatim: true } }],
  });
  await web.chat.update({ channel: dm.id, ts: sent.ts ?? "", text: "hello you" });
  await web.chat.postMessage({ channel: dm.id, text: "below", thread_ts: sent.ts ?? "" });
  const { messages } = await web.conversations.history({ channel: dm.id, include_all_metadata: true });
  expect(messages).toMatchObject([
    {
      text: "hello you",
      user: slack.me.id,
      bot_id: slack.bot,
      reply_count: 1,
      metadata: { event_payload: { reply: "r1" } },
    },
    { text: "hello", user: anna.id },
  ]);
  const thread = await web.conversations.replies({ channel: dm.id, ts: sent.ts ?? "" });
  expect(thread.messages?.map(({ text }) => text)).toEqual(["hello you", "below"]);
  const first = await web.conversations.history({ channel: dm.id, limit: 1 });
  const cursor = first.response_metadata?.next_cursor ?? "";
  expect((await web.conversations.history({ channel: dm.id, limit: 1, cursor })).messages).toMatchObject([
    { text: "hello" },
  ]);
  expect((await web.users.info({ user: anna.id })).user?.profile?.display_name).toBe("Anna");
});

test("CH102 a button is pressed, and taken by the client of Slack", async () => {
  const slack = await slackOf();
  const anna = slack.person("Anna");
  const dm = slack.dm(anna);
  const { events, got } = await connect(slack);
  const button = { type: "button", action_id: "a", value: "v", text: { type: "plain_text", text: "Yes" } } as const;
  const sent = await webOf(slack).chat.postMessage({
    channel: dm.id,
    text: "Sure?",
    blocks: [{ type: "actions", elements: [button] }],
  });
  await got(1); // our own words
  slack.press(anna, dm, sent.ts ?? "", "Yes");
  await got(2);
  for (const { ack } of events) await ack();
  await slack.until(() => slack.sockets.waiting.size === 0);
  expect(events.map(({ type }) => type)).toEqual(["events_api", "interactive"]);
});

test("CH101 CH237 files come and go; who may not is shown a page", async () => {
  const slack = await slackOf();
  const dm = slack.dm(slack.person("Anna"));
  await webOf(slack).filesUploadV2({ channel_id: dm.id, filename: "a.txt", file: Buffer.from("bytes of a") });
  const [shown] = slack.shown(dm);
  expect([shown?.files.map(({ name }) => name), String(slack.bytes(shown?.files[0]?.id ?? ""))]).toEqual([
    ["a.txt"],
    "bytes of a",
  ]);
  const address = `${slack.url}/files-pri/${shown?.files[0]?.id}/a.txt`;
  const [mine, theirs] = await Promise.all([
    fetch(address, { headers: { authorization: `Bearer ${slack.tokens.bot}` } }),
    fetch(address),
  ]);
  expect([await mine.text(), theirs.headers.get("content-type")]).toEqual(["bytes of a", "text/html; charset=utf-8"]);
});

test("CH101 what Slack refuses is refused, with its words", async () => {
  const slack = await slackOf({
    scopes: ALL_SCOPES.filter((scope) => scope !== "users:read" && scope !== "mpim:history"),
  });
  const anna = slack.person("Anna");
  const dm = slack.dm(anna);
  const [left, closed] = [slack.channel("left", anna), slack.channel("closed", anna)];
  slack.kick(left);
  closed.isArchived = true;
  const theirs = slack.write(anna, dm, "mine");
  const web = webOf(slack);
  const long = { type: "section", text: { type: "mrkdwn", text: "x".repeat(3001) } } as const;
  expect([
    await errorOf(webOf(slack, "xoxb-wrong").auth.test()),
    await errorOf(webOf(slack, slack.tokens.app).auth.test()),
    await errorOf(web.apps.connections.open()),
    await errorOf(web.chat.postMessage({ channel: "C0NOWHERE", text: "x" })),
    await errorOf(web.chat.postMessage({ channel: left.id, text: "x" })),
    await errorOf(web.chat.postMessage({ channel: closed.id, text: "x" })),
    await errorOf(web.chat.postMessage({ channel: dm.id, text: "" })),
    await errorOf(web.chat.postMessage({ channel: dm.id, text: "x", blocks: [long] })),
    await errorOf(web.chat.postMessage({ channel: dm.id, text: "x", thread_ts: "1.000000" })),
    await errorOf(web.chat.update({ channel: dm.id, ts: theirs.ts, text: "x" })),
    await errorOf(web.chat.update({ channel: dm.id, ts: "1.000000", text: "x" })),
    await errorOf(web.users.info({ user: anna.id })),
  ]).toEqual([
    "invalid_auth",
    "not_allowed_token_type",
    "not_allowed_token_type",
    "channel_not_found",
    "not_in_channel",
    "is_archived",
    "no_text",
    "invalid_blocks",
    "thread_not_found",
    "cant_update_message",
    "message_not_found",
    "missing_scope",
  ]);
});

test("CH103 limits are told in headers, and refuse: one message a second in a chat", async () => {
  const slack = await slackOf({ limits: "real", now: () => 1_800_000_000_000 });
  const dm = slack.dm(slack.person("Anna"));
  const web = webOf(slack);
  await web.chat.postMessage({ channel: dm.id, text: "a" });
  const refused: unknown = await web.chat.postMessage({ channel: dm.id, text: "b" }).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "slack_webapi_rate_limited_error", retryAfter: 1 });
  await web.chat.postMessage({ channel: slack.dm(slack.person("Ben")).id, text: "c" });
});

test("CH101 what Slack does not know is complained about", async () => {
  const slack = await slackOf();
  const web = webOf(slack);
  await errorOf(web.apiCall("chat.shout", { channel: "C1" }));
  await web.apiCall("auth.test", { color: "red" });
  await fetch(`${slack.url}/nowhere`);
  expect(slack.takeComplaints()).toEqual([
    "unknown method chat.shout",
    "auth.test: unknown argument color",
    "unknown address /nowhere",
  ]);
});

test("CH101 calls are signed as in the example that Slack gives of it", () => {
  const body =
    "token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c";
  expect(sign("8f742231b10e8888abcd99yyyzzz85a5", "1531420618", body)).toMatchObject({
    "x-slack-signature": "v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503",
  });
});
