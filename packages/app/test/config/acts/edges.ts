// Keys of what comes in and goes out: channels, policy, budgets, the log.
import type { InboundMessage, JsonObject } from "@margay/core";
import { callsTool, says } from "@margay/core/testing";
import { stalls } from "@margay/core/internal/testing";
import { deskConfig, installDesk } from "../../channels/desk.ts";
import { signatureOf } from "../../channels/support.ts";
import { comes, happens, lastResult, offered, type Probes, type World } from "./probe.ts";

const SECRETS = ["webhook-secret-number-one", "webhook-secret-number-two"] as const;

/** A chat on the webhook: replies are posted to the server somewhere else. */
const webhook =
  (more: JsonObject = {}, own: JsonObject = {}) =>
  ({ webUrl }: { readonly webUrl: string }): JsonObject => ({
    channels: {
      webhook: { enabled: true, secret: SECRETS[0], allowFrom: ["ada"], options: { url: webUrl, port: 0 }, ...own },
      ...more,
    },
  });

const BOT_TOKENS = ["111:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "222:bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"] as const;

/** A bot whose platform is the server somewhere else. */
const telegram =
  (own: JsonObject = {}) =>
  ({ webUrl }: { readonly webUrl: string }): JsonObject => ({
    channels: { telegram: { enabled: true, allowFrom: ["ada"], baseUrl: webUrl, ...own } },
  });

function hello(key = "1"): InboundMessage {
  const from = { id: "ada", kind: "person" } as const;
  return { key, origin: { channel: "webhook", chat: "ops" }, from, parts: [{ type: "text", text: "hello" }] };
}

/** What becomes of a word in a group. */
const inGroup =
  (more: Partial<InboundMessage>) =>
  async ({ app }: World): Promise<string> =>
    (await app.agent.bus.accept({ ...hello(), chat: "group", ...more })).status;

/** Whether a text is posted before the answer. */
async function isPosted({ app, model, web }: World, text: string): Promise<boolean> {
  const answer = stalls({ rest: says("I saw.") }); // an answer that waits to leave drops what leads to it
  model.replies(callsTool("list_dir", { path: "." }, { text: "I look." }), answer);
  await app.agent.bus.accept(hello());
  const came = await happens(web.said((bodies) => bodies.some((body) => body.includes(text))));
  answer.release();
  await web.said((bodies) => bodies.some((body) => body.includes("I saw.")));
  return came;
}

export const EDGES: Probes = {
  "channels.sendProgress": {
    values: [true, false],
    config: webhook(),
    see: async (world) => isPosted(world, "I look."),
    saw: [true, false],
  },
  "channels.sendToolHints": {
    values: [true, false],
    config: webhook(),
    see: async (world) => isPosted(world, "list_dir"),
    saw: [true, false],
  },
  "channels.retryHours": {
    values: [1, 168],
    config: webhook(),
    stopped: true,
    web: (_request, response) => {
      response.statusCode = 503; // down: what it refuses is given up sooner
      response.end();
    },
    see: async ({ app, clock, web, records }) => {
      await app.agent.bus.accept(hello());
      await web.said((bodies) => bodies.length > 0);
      for (let hours = 0; hours < 3; hours += 1) {
        await clock.waitForSleep(1, 3_600_000);
        await clock.advance(3_600_000);
      }
      const given = async (): Promise<boolean> =>
        (await records("webhook:ops")).some((record) => record.type === "reply.failed" && record.retryAt === undefined);
      return comes(given);
    },
    saw: [true, false],
  },
  "channels.*.enabled": {
    at: "channels.webhook.enabled",
    values: [true, false],
    config: webhook(),
    see: async ({ app, web }) => {
      await app.agent.bus.accept(hello());
      return happens(web.said((bodies) => bodies.length > 0));
    },
    saw: [true, false],
  },
  "channels.*.kind": {
    at: "channels.ops.kind",
    values: ["webhook", "somebody-elses"],
    config: ({ webUrl }) => ({
      channels: { ops: { enabled: true, secret: SECRETS[0], allowFrom: ["ada"], options: { url: webUrl } } },
    }),
    see: async ({ app, web }) => {
      await app.agent.bus.accept({ ...hello(), origin: { channel: "ops", chat: "ops" } });
      return happens(web.said((bodies) => bodies.length > 0));
    },
    saw: [true, false],
  },
  "channels.*.allowFrom": {
    at: "channels.webhook.allowFrom",
    values: [["ada"], ["eve"]],
    config: webhook(),
    see: async ({ app }) => (await app.agent.bus.accept(hello())).status,
    saw: ["accepted", "refused"],
  },
  "channels.*.operators": {
    at: "channels.webhook.operators",
    values: [["ada"], []],
    config: webhook(),
    // Whose own account it is reads the operator's files; a guest's request has no tool for them.
    see: async ({ app, model }) => {
      await app.agent.bus.accept(hello());
      await app.agent.idle();
      return JSON.stringify(model.requests.map(({ body }) => body["tools"])).includes("read_file");
    },
    saw: [true, false],
  },
  "channels.*.groups": {
    at: "channels.webhook.groups",
    values: ["all", "off"],
    config: webhook({}, { chats: { ops: {} } }),
    see: inGroup({}),
    saw: ["accepted", "ignored"],
  },
  "channels.*.chats": {
    at: "channels.webhook.chats",
    values: [{ ops: { groups: "all" } }, { other: { groups: "all" } }],
    config: webhook(),
    see: inGroup({}),
    saw: ["accepted", "ignored"],
  },
  "channels.*.approvals": {
    at: "channels.webhook.approvals",
    values: ["here", "private"],
    config: (place) => ({
      ...webhook(
        {},
        { allowFrom: [], operators: ["ada"], chats: { ops: { groups: "all", allowFrom: ["ada"] } } },
      )(place),
      policy: { rules: [{ tool: "list_dir", action: "ask" }] },
    }),
    see: async ({ app, model, web }) => {
      model.replies(callsTool("list_dir", { path: "." }));
      await app.agent.bus.accept({ ...hello(), chat: "group" });
      await web.said((bodies) => bodies.length > 0);
      return web.bodies[0]?.includes("/allow ");
    },
    saw: [true, false],
  },
  "channels.*.names": {
    at: "channels.webhook.names",
    values: [["hello"], ["robot"]],
    config: webhook({}, { chats: { ops: { groups: "named" } } }),
    see: inGroup({}),
    saw: ["accepted", "ignored"],
  },
  "channels.*.follow": {
    at: "channels.webhook.follow",
    values: [true, false],
    config: webhook({}, { chats: { ops: { groups: "named" } } }),
    see: async (world) => {
      await inGroup({ addressed: "named" })(world);
      await world.app.agent.idle();
      return inGroup({ key: "2" })(world);
    },
    saw: ["accepted", "ignored"],
  },
  "channels.*.bots": {
    at: "channels.webhook.bots",
    values: ["named", "heard"],
    config: webhook({}, { chats: { ops: { groups: "named" } } }),
    see: inGroup({ addressed: "named", from: { id: "ada", kind: "person", bot: true } }),
    saw: ["accepted", "ignored"],
  },
  "channels.*.secret": {
    at: "channels.webhook.secret",
    values: SECRETS,
    config: webhook(),
    see: async ({ app, web }) => {
      await app.agent.bus.accept(hello());
      await web.said((bodies) => bodies.length > 0);
      const { "x-margay-timestamp": at, "x-margay-signature": signature } = web.hits[0]?.headers ?? {};
      return SECRETS.findIndex((secret) => signatureOf(secret, String(at), web.bodies[0] ?? "") === signature);
    },
    saw: [0, 1],
  },
  "channels.*.token": {
    at: "channels.telegram.token",
    values: BOT_TOKENS,
    config: telegram(),
    see: async ({ app, web }) => {
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" } });
      await web.said((bodies) => bodies.length > 0);
      return BOT_TOKENS.findIndex((token) => web.hits[0]?.url?.includes(token) === true);
    },
    saw: [0, 1],
  },
  "channels.*.live": {
    at: "channels.telegram.live",
    values: ["private", "off"],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, model, web }) => {
      const words = "This is long enough to be shown while it is written.";
      const slow = stalls({ after: words });
      model.replies(slow);
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" } });
      await model.received(1);
      const shown = await happens(web.said((bodies) => bodies.some((body) => body.includes(words))));
      slow.release();
      return shown;
    },
    saw: [true, false],
  },
  "channels.*.typing": {
    at: "channels.telegram.typing",
    values: ["on", "off"],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, model, web }) => {
      const slow = stalls({ rest: says("hi") });
      model.replies(slow);
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" } });
      await model.received(1);
      const shown = await comes(async () => web.hits.some(({ url }) => url?.endsWith("/sendChatAction") === true));
      slow.release();
      return shown;
    },
    saw: [true, false],
  },
  "channels.*.ack": {
    at: "channels.telegram.ack",
    values: [null, "\u{1f440}"],
    config: telegram({ token: BOT_TOKENS[0], typing: "off" }),
    see: async ({ app, model, web }) => {
      const slow = stalls({ rest: says("hi") });
      model.replies(slow);
      const handle = { data: null, key: "7:5" }; // as the channel of its origin has it
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" }, handle });
      await model.received(1);
      const shown = await happens(web.said((bodies) => bodies.some((body) => body.includes("\u{1f440}"))));
      slow.release();
      return shown;
    },
    saw: [false, true],
  },
  "channels.*.uncertain": {
    at: "channels.telegram.uncertain",
    values: ["again", "ask"],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, web }) => {
      const to = { channel: "telegram", chat: "7" };
      const session = await app.agent.sessions.open("telegram:7", to);
      const parts = [{ type: "text", text: "It may be there." }] as const;
      await session.commit(
        { type: "reply.queued", reply: "r", to, kind: "message", parts },
        { type: "reply.sending", reply: "r", piece: 1, from: 0, to: 16, attempt: 1 }, // and the process died
      );
      app.agent.wake("telegram:7");
      return happens(web.said((bodies) => bodies.some((body) => body.includes("It may be there."))));
    },
    saw: [true, false],
  },
  "channels.*.quote": {
    at: "channels.telegram.quote",
    values: ["auto", "off"],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, model, web }) => {
      const slow = stalls({ rest: says("first") });
      model.replies(slow, says("second"));
      const origin = { channel: "telegram", chat: "7" };
      await app.agent.bus.accept({ ...hello(), origin, handle: { data: null, key: "7:5" } });
      await model.received(1);
      await app.agent.bus.accept({ ...hello(), key: "later", origin, mode: "queue" });
      slow.release();
      await web.said((bodies) => bodies.some((body) => body.includes("first")));
      return web.bodies.some((body) => body.includes("reply_parameters"));
    },
    saw: [true, false],
  },
  "channels.*.reactions": {
    at: "channels.telegram.reactions",
    values: ["count", "tell"],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: ({ app }) => app.inside.platforms.channels.get("telegram")?.can.reactions ?? "none",
    saw: ["none", "tell"],
  },
  "channels.*.session": {
    at: "channels.webhook.session",
    values: ["perThread", "perChat"],
    config: webhook(),
    see: async ({ app }) => {
      const parts = [{ type: "text", text: "news" }] as const;
      const to = { channel: "webhook", chat: "7", thread: "3" };
      const from = { id: "test", kind: "schedule" } as const;
      await app.agent.bus.send("webhook:7:3", { reply: "r", to, kind: "message", parts, from });
      return (await app.agent.sessions.list()).map(({ key }) => key).join();
    },
    saw: ["webhook:7:3", "webhook:7"],
  },
  "channels.*.burstMs": {
    at: "channels.telegram.burstMs",
    values: [0, 10_000],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, model }) => {
      model.replies(says("hi"));
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" } });
      return happens(model.received(1));
    },
    saw: [true, false],
  },
  "channels.*.backfillHours": {
    at: "channels.desk.backfillHours",
    values: [1, 48],
    config: ({ webUrl }) => deskConfig({ url: webUrl }, { options: { asksBack: true } }),
    place: { prepare: ({ home }) => installDesk(home) },
    see: async ({ web }) => {
      await web.said(() => web.hits.some(({ url }) => url?.startsWith("/missed") === true));
      const asked = web.hits.find(({ url }) => url?.startsWith("/missed") === true)?.url ?? "";
      return Math.round((Date.now() - Number(asked.split("=")[1])) / 3_600_000);
    },
    saw: [1, 48],
  },
  "channels.*.media.maxBytes": {
    at: "channels.telegram.media.maxBytes",
    values: [26_214_400, 1_000_000],
    config: telegram({ token: BOT_TOKENS[0] }),
    web: (_request, response) => {
      response.statusCode = 400; // a file that is asked for is not there
      response.end(JSON.stringify({ ok: false, error_code: 400, description: "Bad Request: no such file" }));
    },
    see: async ({ app, model, web }) => {
      model.replies(says("I see."));
      const files = [{ file: "1", name: "a.bin", bytes: 2_000_000, locator: "f" }];
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" }, files });
      await model.received(1);
      return [
        web.hits.some(({ url }) => url?.includes("/getFile") === true),
        model.requests[0]?.texts("user").join().includes("it is larger than 976.6 kB"),
      ];
    },
    saw: [
      [true, false],
      [false, true],
    ],
  },
  "channels.*.baseUrl": {
    at: "channels.telegram.baseUrl",
    values: [({ webUrl }) => `${webUrl}/one`, ({ webUrl }) => `${webUrl}/two`],
    config: telegram({ token: BOT_TOKENS[0] }),
    see: async ({ app, web }) => {
      await app.agent.bus.accept({ ...hello(), origin: { channel: "telegram", chat: "7" } });
      await web.said((bodies) => bodies.length > 0);
      return web.hits[0]?.url?.split("/")[1];
    },
    saw: ["one", "two"],
  },
  "channels.*.options": {
    at: "channels.webhook.options",
    values: [({ webUrl }) => ({ url: `${webUrl}/one` }), ({ webUrl }) => ({ url: `${webUrl}/two` })],
    config: webhook(),
    see: async ({ app, web }) => {
      await app.agent.bus.accept(hello());
      await web.said((bodies) => bodies.length > 0);
      return web.hits[0]?.url;
    },
    saw: ["/one", "/two"],
  },
  "policy.rules": {
    values: [[], [{ tool: "list_dir", action: "deny" }]],
    see: async (world) => {
      world.model.replies(callsTool("list_dir", { path: "." }), says("done"));
      await world.turn("look");
      return lastResult(world).startsWith("Denied");
    },
    saw: [false, true],
  },
  "policy.approvalTimeoutSeconds": {
    values: [711, 722],
    config: { policy: { rules: [{ tool: "list_dir", action: "ask" }] } },
    stopped: true,
    see: async ({ app, clock, model }) => {
      model.replies(callsTool("list_dir", { path: "." }), says("nobody answered"));
      const { finished } = app.agent.send("web:asked", "look", { attended: true });
      const ms = await clock.waitForSleep(700_000, 730_000);
      await clock.advance(ms);
      return [ms, (await finished).text];
    },
    saw: [
      [711_000, "nobody answered"],
      [722_000, "nobody answered"],
    ],
  },
  "policy.strictUnattended": {
    values: [false, true],
    see: async (world) => {
      await world.turn("hi");
      return offered(world).includes("extract");
    },
    saw: [false, true],
  },
  "policy.ownRepositories": {
    values: [["git.invalid/me/*"], ["git.invalid/you/*"]],
    see: async (world) => {
      const command = "git push https://git.invalid/me/proj HEAD 2>&1; git ls-remote https://git.invalid/me/proj 2>&1";
      world.model.replies(callsTool("exec", { command }), says("done"));
      await world.turn("go");
      return /margay: (git.invalid does not exist|git.invalid is not a public address)/.exec(lastResult(world))?.[1];
    },
    saw: ["git.invalid does not exist", "git.invalid is not a public address"],
  },
  budgets: {
    values: [[], [{ scope: "day", tokens: 10, action: "stop" }]],
    see: async (world) => {
      const { reason } = await world.turn("hi");
      return [reason, world.model.requests.length];
    },
    saw: [
      ["done", 1],
      ["budget", 0],
    ],
  },
  "log.level": {
    values: ["error", "info"],
    config: webhook(),
    see: ({ logs }) => comes(async () => logs.some(({ event }) => event === "channel.listening")),
    saw: [false, true],
  },
};
