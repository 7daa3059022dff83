// What margay sends, as people see it: once, calling nobody, and what Slack says when it does not want it.
import { expect, test } from "vitest";
import { failure, never, outbound, scene, SENDING } from "./support.ts";

test("CH234 CH65 nobody is called, no link grows, whatever is in the text, with markup and without", async () => {
  const { slack, anna, dm, channel } = await scene();
  const text = `<@${anna.id}> <!channel> & **bold** https://a.example`;
  const printed = `&lt;@${anna.id}&gt; &lt;!channel&gt; &amp; *bold* <https://a.example>`;
  const plain = text.replaceAll("*", "");
  await channel.send({ ...outbound(dm, text, { reply: "r1" }), rendered: { text: printed, plain } }, never);
  await channel.send(outbound(dm, text, { reply: "r2" }), never);
  expect(slack.shown(dm)).toMatchObject([
    {
      text: `<@${anna.id}> <!channel> & *bold* https://a.example`,
      calls: [],
      unfurl: false,
      notification: `&lt;@${anna.id}&gt; &lt;!channel&gt; &amp; bold https://a.example`,
    },
    { text, calls: [], unfurl: false },
  ]);
});

test("CH234 a text without markup that is longer than a section is still one message", async () => {
  const { slack, dm, channel } = await scene();
  const text = `${"a".repeat(2999)}\u{1f600}${"<".repeat(4000)}`;
  await channel.send(outbound(dm, text), never);
  const [shown] = slack.shown(dm);
  expect([shown?.text === text, (shown?.notification.length ?? 0) <= 4000, shown?.notification.isWellFormed()]).toEqual(
    [true, true, true],
  );
});

test.each(["close-after-taking", "close-half-answer"] as const)(
  "CH233 CH146 an answer that is lost (%s): the piece may have left, and is found again, in a chat and in a thread",
  async (how) => {
    const { slack, anna, dm, channel } = await scene();
    const root = slack.write(anna, dm, "a root");
    const since = Date.now();
    for (const piece of [
      outbound(dm, "once"),
      outbound(dm, "below", { to: { channel: "slack", chat: dm.id, thread: root.ts } }),
    ]) {
      expect(await channel.findSent?.(piece, since, never)).toEqual({ status: "not-sent" });
      slack.fault({ when: SENDING, how });
      expect(await failure(channel.send(piece, never))).toMatchObject({ kind: "again", sent: "maybe" });
      const [, shown] = piece.to.thread === undefined ? slack.shown(dm) : [undefined, slack.shown(dm, root.ts)[0]];
      expect(await channel.findSent?.({ ...piece, repeated: true }, since, never)).toEqual({
        status: "sent",
        id: shown?.id,
      });
    }
  },
);

test("CH233 what somebody else says with our key is not ours, and a chat that is too full says nothing", async () => {
  const { slack, anna, dm, channel } = await scene();
  const since = Date.now();
  await channel.send(outbound(dm, "early"), never);
  const message = slack.write(anna, dm, "mine");
  message.metadata = { event_type: "margay", event_payload: { reply: "reply-forged" } };
  expect(await channel.findSent?.(outbound(dm, "forged"), since, never)).toEqual({ status: "not-sent" });
  for (let count = 0; count < 600; count++) slack.write(anna, dm, String(count));
  expect(await channel.findSent?.(outbound(dm, "early"), since, never)).toBeUndefined();
});

test("CH237 files follow the text in one message, and what of both is there is not sent again", async () => {
  const { slack, anna, dm, channel, host } = await scene();
  const root = slack.write(anna, dm, "a root");
  const to = { channel: "slack", chat: dm.id, thread: root.ts };
  const media = await Promise.all(
    ["f1.txt", "f2.txt"].map((name) =>
      host.media.save(Buffer.from(`bytes of ${name}`), { name, mediaType: "text/plain" }),
    ),
  );
  const piece = outbound(dm, "here", { to, parts: [{ type: "text", text: "here" }, ...media] });
  const since = Date.now();
  // The text has left: what is refused after it is not refused as a whole.
  const refused = { status: 200, body: { ok: false, error: "missing_scope", needed: "files:write" } };
  slack.fault({ when: "files.getUploadURLExternal", how: refused });
  expect(await failure(channel.send(piece, never))).toMatchObject({ kind: "config", sent: "maybe" });
  slack.fault({ when: "files.completeUploadExternal", how: "close-before" });
  expect(await failure(channel.send({ ...piece, repeated: true }, never))).toMatchObject({
    kind: "again",
    sent: "maybe",
  });
  expect(await channel.findSent?.(piece, since, never)).toEqual({ status: "not-sent" });
  slack.fault({ when: "files.completeUploadExternal", how: "close-after-taking" });
  expect(await failure(channel.send({ ...piece, repeated: true }, never))).toMatchObject({
    kind: "again",
    sent: "maybe",
  });
  const [text] = slack.shown(dm, root.ts);
  expect(await channel.findSent?.(piece, since, never)).toEqual({ status: "sent", id: text?.id });
  await channel.send({ ...piece, repeated: true }, never);
  const shown = slack.shown(dm, root.ts);
  expect(shown.map(({ text: said, files }) => [said, files.map(({ name }) => name)])).toEqual([
    ["here", []],
    ["", ["f1.txt", "f2.txt"]],
  ]);
  expect(String(slack.bytes(shown[1]?.files[1]?.id ?? ""))).toBe("bytes of f2.txt");
});

test("CH237 a place that is not Slack's gets no bytes of ours", async () => {
  const { slack, dm, channel, host } = await scene();
  const media = await host.media.save(Buffer.from("secret"), { name: "a", mediaType: "text/plain" });
  slack.fault({
    when: "files.getUploadURLExternal",
    how: { status: 200, body: { ok: true, upload_url: "http://127.0.0.2:9/x", file_id: "F1" } },
  });
  const refused = await failure(channel.send(outbound(dm, "", { parts: [media] }), never));
  expect(refused).toMatchObject({ kind: "refused", message: expect.stringContaining("127.0.0.2:9") });
});

test("CH236 429 is waited for: of a chat, and what comes before its time is not asked", async () => {
  const { slack, dm, channel } = await scene({ limits: "real" });
  const other = slack.dm(slack.person("Ben"));
  await channel.send(outbound(dm, "a"), never);
  const slow = { kind: "slow-down", scope: "chat", sent: "no", retryAfterMs: expect.any(Number) };
  expect(await failure(channel.send(outbound(dm, "b"), never))).toMatchObject(slow);
  expect(await failure(channel.send(outbound(dm, "b"), never))).toMatchObject(slow);
  expect(slack.calls(SENDING)).toHaveLength(2);
  await channel.send(outbound(other, "c"), never);
  expect(slack.shown(other)).toHaveLength(1);
});

test("CH236 CH151 what Slack refuses: gone, refused, markup, config, auth, again, each with what may have left", async () => {
  const { slack, anna, dm, channel } = await scene();
  const [left, closed] = [slack.channel("left", anna), slack.channel("closed", anna)];
  slack.kick(left);
  closed.isArchived = true;
  for (const chat of [left, closed, { id: "C0NOWHERE0" }, { id: "U0NOBODY00" }, { id: "anna" }])
    expect(await failure(channel.send(outbound(chat, "x"), never))).toMatchObject({ kind: "gone", sent: "no" });
  const says = (error: string, more: object = {}): void =>
    slack.fault({ when: SENDING, how: { status: 200, body: { ok: false, error, ...more } } });
  for (const [error, kind] of [
    ["restricted_action", "gone"],
    ["missing_scope", "config"],
    ["messages_tab_disabled", "config"],
    ["token_revoked", "auth"],
    ["something_new", "refused"],
    ["fatal_error", "again"],
  ] as const) {
    says(error, { needed: "chat:write" });
    expect(await failure(channel.send(outbound(dm, "x"), never))).toMatchObject({
      kind,
      sent: kind === "again" ? "maybe" : "no",
    });
  }
  const rendered = { text: "y".repeat(3001), plain: "y" };
  expect(await failure(channel.send({ ...outbound(dm, "x"), rendered }, never))).toMatchObject({
    kind: "markup",
    answered: true,
  });
  for (const how of [{ status: 502, body: "<html>" }, "garbage"] as const) {
    slack.fault({ when: SENDING, how });
    expect(await failure(channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "again", sent: "maybe" });
  }
  const off = await scene();
  await off.slack[Symbol.asyncDispose]();
  expect(await failure(off.channel.send(outbound(dm, "x"), never))).toMatchObject({ kind: "again", sent: "no" });
});

test("CH37 a person is written to in the private chat with them", async () => {
  const { slack, anna, dm, channel } = await scene();
  await channel.send(outbound(anna, "hello"), never);
  expect(slack.shown(dm).map(({ text }) => text)).toEqual(["hello"]);
});

test("CH235 CH69 in a thread Slack shows that it thinks; elsewhere it says that there is no such sign", async () => {
  const { slack, anna, dm, channel } = await scene();
  const root = slack.write(anna, dm, "a root");
  const to = { channel: "slack", chat: dm.id };
  await channel.typing?.({ ...to, thread: root.ts }, never);
  for (const none of [to, { ...to, thread: "1.000000" }])
    expect(await failure(channel.typing?.(none, never) ?? Promise.resolve())).toMatchObject({ kind: "refused" });
  expect(slack.status).toEqual([{ channel: dm.id, thread: root.ts, status: "is thinking…" }]);
});

test("CH235 CH69 a reaction of ours: by its name at Slack, and what is as it should be is no error", async () => {
  const { slack, anna, dm, channel } = await scene();
  const to = { channel: "slack", chat: dm.id };
  const asked = slack.write(anna, dm, "a question");
  const react = (emoji: string, isOn = true, ts = asked.ts): Promise<void> =>
    channel.react?.(`${dm.id}:${ts}`, emoji, isOn, to, never) ?? Promise.reject(new Error("it cannot"));
  await react("\u23f3");
  expect(asked.reactions).toEqual(["hourglass_flowing_sand"]);
  await react("\u23f3", false);
  await react("\u{1f9a5}"); // whose name we do not know
  expect(asked.reactions).toEqual(["eyes"]);
  await react("\u{1f440}");
  expect(asked.reactions).toEqual(["eyes"]);
  await react("\u{1f9a5}", false);
  await react("\u{1f9a5}", false);
  expect(asked.reactions).toEqual([]);
  await react("\u{1f440}", true, "1.000000");
  await react("\u{1f440}", false, "1.000000");
  await channel.react?.("command:7", "\u{1f440}", true, to, never);
  // What was asked for may have been done, whatever came of the answer.
  slack.fault({ when: "reactions.add", how: "close-after-taking" });
  expect(await failure(react("\u{1f440}"))).toMatchObject({ kind: "again", sent: "maybe" });
  await react("\u{1f440}", false);
  expect(asked.reactions).toEqual([]);
});

test("CH236 CH69 an app that may put no reactions is told the scope", async () => {
  const { slack, anna, dm, channel } = await scene({ scopes: ["chat:write", "im:history"] });
  const asked = slack.write(anna, dm, "a question");
  const react = channel.react?.(`${dm.id}:${asked.ts}`, "\u{1f440}", true, { channel: "slack", chat: dm.id }, never);
  expect(await failure(react ?? Promise.resolve())).toMatchObject({
    kind: "config",
    sent: "no",
    message: expect.stringContaining("reactions:write") as string,
  });
});

test("CH161 an edit of what is not there any more, and of what is not ours, says so", async () => {
  const { slack, anna, dm, channel } = await scene();
  const theirs = slack.write(anna, dm, "mine");
  for (const id of [`${dm.id}:1.000000`, `${dm.id}:${theirs.ts}`])
    expect(await failure(channel.edit?.(id, outbound(dm, "x"), never) ?? Promise.resolve())).toMatchObject({
      kind: "gone",
    });
});

test("CH66 a message of ours is taken away, once; one that is gone is no error, one of somebody else is", async () => {
  const { slack, anna, dm, channel } = await scene();
  const to = { channel: "slack", chat: dm.id };
  const id = (await channel.send(outbound(dm, "half a sen"), never)) ?? "";
  await channel.remove?.(id, to, never);
  await channel.remove?.(id, to, never);
  expect(slack.shown(dm)).toEqual([]);
  const theirs = slack.write(anna, dm, "mine");
  expect(await failure(channel.remove?.(`${dm.id}:${theirs.ts}`, to, never) ?? Promise.resolve())).toMatchObject({
    kind: "refused",
  });
});

test("CH57 a request that nobody answers ends when it is told to", async () => {
  const { slack, dm, channel } = await scene();
  slack.fault({ when: SENDING, how: "hang-after-taking" });
  const over = new AbortController();
  const sending = failure(channel.send(outbound(dm, "once"), over.signal));
  await slack.until(() => slack.shown(dm).length === 1);
  over.abort(new Error("stop"));
  expect(await sending).toBe(over.signal.reason);
});
