import { channelConformance } from "@margay/core/testing";
import PostalMime from "postal-mime";
import { expect, test } from "vitest";
import { mail, mailServer, settings, start, temporary } from "./support.ts";

async function parsed(raws: readonly string[]): Promise<readonly { readonly to: string; readonly text: string }[]> {
  const mails = await Promise.all(raws.map((raw) => PostalMime.parse(raw)));
  return mails.map(({ to, text }) => ({ to: to?.[0]?.address ?? "", text: (text ?? "").replace(/\n$/, "") }));
}

channelConformance(
  (name, run) => {
    test(`e-mail ${name}`, run);
  },
  async () => {
    const server = await mailServer();
    const { plugin } = await import("../src/index.ts");
    const { channelHost, silentLog, systemClock } = await import("@margay/core/internal");
    const host = channelHost("mail", { folder: temporary(), clock: systemClock(), log: silentLog });
    const channel = plugin.create({ id: "mail", settings: settings(server) }, host);
    let shown: { readonly to: { readonly channel: string; readonly chat: string }; readonly text: string }[] = [];
    const send = channel.send.bind(channel);
    return {
      channel: {
        ...channel,
        send: async (piece, signal) => {
          const id = await send(piece, signal);
          const all = await Promise.all([parsed(server.mailbox("anna")), parsed(server.mailbox("bert"))]);
          shown = all.flat().map(({ to, text }) => ({ to: { channel: "mail", chat: to }, text }));
          return id;
        },
      },
      chat: { channel: "mail", chat: "anna@mail.test" },
      other: { channel: "mail", chat: "bert@mail.test" },
      shown: () => shown,
      refuse: (sends) => server.smtp.misbehave({ at: "mail", reply: "451 4.3.0 not now" }, sends),
    };
  },
);

test("CH210 mails behind the cursor are taken once, in order; what was there at the first start is not", async () => {
  const server = await mailServer();
  const folder = temporary();
  await server.deliver(mail({ id: "old" }));
  const first = start(server, folder);
  await first.up();
  await server.deliver(mail({ id: "a", text: "one" }));
  await server.deliver(mail({ id: "b", text: "two" }));
  await first.received(2);
  await first.stop();
  await server.deliver(mail({ id: "c", text: "three" }));
  const second = start(server, folder);
  await second.received(1);
  await second.stop();
  expect([...first.messages, ...second.messages].map(({ key }) => key)).toEqual([
    "<a@mail.test>",
    "<b@mail.test>",
    "<c@mail.test>",
  ]);
  expect(first.messages[0]?.parts).toEqual([{ type: "text", text: "Subject: Hello\n\none" }]);
});

test("CH20 CH210 a mail that could not be stored is offered again, and none is passed over", async () => {
  const server = await mailServer();
  const folder = temporary();
  const first = start(server, folder, { answer: () => Promise.reject(new Error("the disk is full")) });
  await first.up();
  await server.deliver(mail({ id: "a" }));
  await first.received(1);
  expect(String(await first.ended)).toContain("the disk is full");
  const second = start(server, folder);
  await second.received(1);
  expect(second.messages[0]?.key).toBe("<a@mail.test>");
});
