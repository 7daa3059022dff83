/** Slack as the suite of channels sees it. */
import type { Address } from "@margay/core";
import {
  type ChannelPeer,
  type ChannelSuite,
  type PeerFault,
  type PeerOptions,
  startCalled,
} from "@margay/core/internal/testing";
import { plugin } from "../src/index.ts";
import type { FaultKind } from "./emulator/faults.ts";
import { startSlack } from "./emulator/slack.ts";
import type { Channel, Message, User } from "./emulator/world.ts";
import { SENDING } from "./support.ts";

export const suite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    commands: "Slack offers what the manifest of the app declares: `/margay help`.",
    login: "its settings are typed in.",
    replies: "an answer stands in a thread, and says not which message it answers.",
    closing: "a thread is closed for nobody.",
    moves: "a channel keeps its id.",
    quotes: "an answer stands in the thread of its question, where all see what it answers.",
    resume: "a socket is never taken up again: what was missed is asked for.",
  },
  peer: (options) => peer(options, "socket"),
};

/** The same, where Slack calls. */
export const calledSuite: ChannelSuite = {
  readme: new URL("../README.md", import.meta.url),
  gaps: {
    ...suite.gaps,
    reconnects: "where Slack calls (`mode http`) there is no connection.",
    sudden: "where Slack calls it asks for no other connection.",
  },
  peer: (options) => peer(options, "http"),
};

const FAULTS: Readonly<Record<PeerFault, FaultKind>> = {
  before: "close-before",
  lost: "close-after-taking",
  half: "close-half-answer",
  garbage: "garbage",
  error: { status: 503, body: "no" },
  refused: { status: 200, body: { ok: false, error: "restricted_action_thread_only_channel" } },
  markup: { status: 200, body: { ok: false, error: "invalid_blocks" } },
  slow: { status: 429, body: { ok: false, error: "ratelimited" }, headers: { "retry-after": "1" } },
};

interface Written {
  readonly channel: Channel;
  readonly message: Message;
}

async function peer({ clock, limits }: PeerOptions, mode: "socket" | "http"): Promise<ChannelPeer> {
  const slack = await startSlack({ now: () => clock.now(), ...(limits && { limits }) });
  const { bot = "", app = "" } = slack.tokens;
  const users = new Map<string, User>();
  const channels = new Map<string, Channel>();
  const roots = new Map<string, Message>();
  const called = mode === "http" ? await startCalled(clock) : undefined;
  const { outgoing } = slack;
  if (called !== undefined) outgoing.url = called.urlOf("slack", "events");
  let isDown = false;
  slack.fault({ when: () => isDown, how: "close-before", times: Infinity });
  const at = (channel: Channel): Address => {
    channels.set(channel.id, channel);
    return { channel: "slack", chat: channel.id };
  };
  const known = <Value>(map: ReadonlyMap<string, Value>, id: string): Value => {
    const found = map.get(id);
    if (found === undefined) throw new Error(`nothing is ${id}`);
    return found;
  };
  return {
    id: "slack",
    plugin,
    settings:
      called === undefined
        ? { token: bot, appToken: app, baseUrl: slack.url }
        : { token: bot, baseUrl: slack.url, mode, signingSecret: outgoing.secret },
    ...(called !== undefined && { hooks: called.hooks }),
    limit: 3000,
    nowhere: { channel: "slack", chat: "C0NOWHERE1" },
    person(name) {
      const user = slack.person(name);
      users.set(user.id, user);
      return { id: user.id, name };
    },
    chat: ({ id }) => at(slack.dm(known(users, id))),
    group: (...members) => at(slack.channel("general", ...members.map(({ id }) => known(users, id)))),
    thread(chat, by) {
      const root = slack.write(known(users, by.id), known(channels, chat.chat), "a thread", { isUntold: true });
      roots.set(root.ts, root);
      return { ...chat, thread: root.ts };
    },
    write(by, to, text, { toUs, inCode, names, files, untold } = {}): Written {
      const channel = known(channels, to.chat);
      const meant = names === undefined ? (toUs === true ? slack.me.id : undefined) : names.id;
      // A client of Slack sends no mention that stands in code.
      const code = inCode === true ? "`@margay` " : "";
      const words = code + (meant === undefined ? escaped(text) : `<@${meant}> ${escaped(text)}`);
      const message = slack.write(known(users, by.id), channel, words, {
        ...(to.thread !== undefined && { thread: known(roots, to.thread) }),
        ...(files !== undefined && {
          files: files.map(({ name, mediaType, bytes }) => ({ name, type: mediaType, bytes: Buffer.from(bytes) })),
        }),
        ...(untold === true && { isUntold: true }),
      });
      return { channel, message };
    },
    // The most characters of a message.
    writeLargest: (by, to, text) =>
      slack.write(known(users, by.id), known(channels, to.chat), `${"word ".repeat(7980)}${text}`),
    edit(_by, before, text) {
      const { channel, message } = before as Written; // as `write` gave it
      slack.edit(channel, message, escaped(text));
    },
    press(by, { chat, thread }) {
      const channel = known(channels, chat);
      const found = slack.shown(channel, thread).findLast(({ own, buttons }) => own && buttons.length > 0);
      const [button] = found?.buttons ?? [];
      if (found === undefined || button === undefined) return false;
      slack.press(known(users, by.id), channel, found.id.split(":")[1] ?? "", button.label);
      return true;
    },
    again(message) {
      const before = message as Written; // as `write` gave it
      slack.repeat(before.channel, before.message);
    },
    acknowledged: () => slack.sockets.waiting.size === 0 && outgoing.isTaken,
    shown: ({ chat, thread }) =>
      slack
        .shown(known(channels, chat), thread)
        .filter(({ own }) => own)
        .map(({ text, files, calls }) => ({
          text,
          calls: calls.length,
          files: files.map(({ name }) => name),
          contents: files.flatMap(({ id }) => slack.bytes(id) ?? []),
        })),
    reactions(message) {
      const { reactions = [] } = (message as Written).message; // as `write` gave it
      return reactions;
    },
    fault: (how, times) => slack.fault({ when: SENDING, how: FAULTS[how], times }),
    slow(seconds) {
      slack.flood(SENDING, seconds);
    },
    break(how) {
      if (how === "cut") slack.sockets.drop();
      else if (how === "closed") slack.sockets.close();
      else slack.sockets.disconnect("refresh_requested");
    },
    silence(isSilent) {
      if (isSilent) slack.sockets.halfOpen();
    },
    connections: () => slack.sockets.open,
    down() {
      isDown = true;
      outgoing.isDown = true;
      slack.sockets.isDown = true;
      slack.sockets.drop();
    },
    up() {
      isDown = false;
      slack.sockets.isDown = false;
      outgoing.isDown = false;
      slack.sockets.retry();
      outgoing.retry();
    },
    shutOut: ({ chat }) => slack.kick(known(channels, chat)),
    revoke(isRevoked) {
      Object.assign(slack.tokens, isRevoked ? { bot: "another", app: "another" } : { bot, app });
      if (isRevoked) slack.sockets.drop();
    },
    garbage(what) {
      if (what === "frame") (called === undefined ? slack.sockets : outgoing).raw("{");
      else if (what === "future") slack.event({ type: "telepathy", event_ts: "1" });
      else slack.event({ type: "message", channel: "D0", event_ts: "2" });
    },
    noise(what, by, chat) {
      const channel = known(channels, chat.chat);
      if (what === "own") slack.write(slack.me, channel, "to 77");
      else if (what === "bot") slack.write(known(users, by.id), channel, `<@${slack.me.id}> to 77`, { bot: "Robot" });
      else slack.write(known(users, by.id), channel, "to 77", { subtype: "channel_join" });
    },
    loseFile: (how) =>
      slack.fault({
        when: "download",
        how:
          how === "gone"
            ? { status: 404, body: "gone" }
            : how === "hang"
              ? how
              : {
                  status: 200,
                  body: "<!DOCTYPE html><title>Sign in</title>",
                  headers: { "content-type": "text/html" },
                },
      }),
    failFile: (times) => slack.fault({ when: "upload", how: { status: 500, body: "no" }, times }),
    typingFault: (how, times) =>
      slack.fault({
        when: "assistant.threads.setStatus",
        how: how === "refused" ? FAULTS.error : "hang",
        times,
      }),
    [Symbol.asyncDispose]: async () => {
      await called?.[Symbol.asyncDispose]();
      await outgoing.settled();
      await slack[Symbol.asyncDispose]();
    },
  };
}

/** As a client of Slack sends what somebody types. */
function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
