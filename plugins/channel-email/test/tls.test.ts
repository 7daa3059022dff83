// TLS in front of a real postfix and a real dovecot: what is not encrypted as the settings want it carries no password.
import { expect, onTestFinished, test } from "vitest";
import * as alone from "../../../packages/core/test/channels/alone.ts";
import { startGateway } from "../../../packages/app/test/gateway/support.ts";
import { plugin } from "../src/index.ts";
import { channelOf, clear, encrypted, house, sendAlone, wireTo } from "./postfix-house.ts";
import { mailServer, temporary } from "./support.ts";

test("CH95 CH137 CH45 a certificate that nobody vouches for is refused, and what to do is said; no mail and no password leaves", async () => {
  const { server, postfix } = await house();
  const gateway = await startGateway(
    { onTestFinished },
    { config: { channels: { mail: { ...channelOf(encrypted({ server, postfix }), []), enabled: false } } } },
  );
  const ways = {
    imap: { imapSecurity: "tls", imapPort: server.imapsPort },
    "imap by STARTTLS": { imapSecurity: "starttls", imapPort: server.imapPort },
    smtp: { smtpSecurity: "tls", smtpPort: postfix.tlsPort },
    "smtp by STARTTLS": { smtpSecurity: "starttls", smtpPort: postfix.submissionPort },
  };
  for (const [name, way] of Object.entries(ways)) {
    const host = name.startsWith("imap") ? { imapHost: "localhost" } : { smtpHost: "localhost" };
    const options = { ...clear({ server, postfix }), ...host, ...way };
    const { body } = await gateway.api("/channels/mail/test", { method: "POST", body: { draft: { options } } });
    expect([name, body.ok, body.detail]).toEqual([name, false, expect.stringContaining("NODE_EXTRA_CA_CERTS")]);
    if (name.startsWith("imap")) continue;
    expect([name, await sendAlone(options)]).toMatchObject([name, { kind: "config", sent: "no" }]);
  }
  expect(postfix.log()).not.toContain("sasl_username");
});

test("CH137 CH45 where the settings want STARTTLS and the server has none no password leaves, and that is said", async () => {
  const { server, postfix } = await house();
  const dull = await mailServer();
  const [smtp, imap] = [await wireTo(postfix.clearPort), await wireTo(dull.imapPort)];
  const password = Buffer.from(`\0bot\0${server.password}`).toString("base64");
  const wanted = { ...clear({ server, postfix }), smtpSecurity: "starttls", smtpPort: smtp.port };
  expect(await sendAlone(wanted)).toMatchObject({
    kind: "config",
    sent: "no",
    message: expect.stringMatching(/offers no STARTTLS.*options\.smtpSecurity/),
  });
  expect(smtp.said).toContain("STARTTLS");
  expect(smtp.said).not.toMatch(/AUTH|MAIL FROM/);
  const running = alone.run(
    plugin.create(
      { id: "mail", settings: { ...clear({ server, postfix }), imapSecurity: "starttls", imapPort: imap.port } },
      alone.testHost("mail", temporary()),
    ),
    undefined,
    { admits: () => Promise.resolve(true) },
  );
  expect(await running.ended).toMatchObject({
    kind: "config",
    message: expect.stringMatching(/offers no STARTTLS.*options\.imapSecurity/),
  });
  for (const { said } of [smtp, imap])
    for (const secret of [server.password, password, Buffer.from(server.password).toString("base64")])
      expect(said).not.toContain(secret);
});

test("CH45 CH146 a connection that ends while it is encrypted has taken no mail; one that speaks no TLS, or wants it, is said to", async () => {
  const { server, postfix } = await house();
  const wire = await wireTo(postfix.submissionPort);
  wire.cutAt({ by: "server", word: /^220 2\.0\.0/, passes: "all", act: () => Promise.resolve() });
  const begun = { ...clear({ server, postfix }, wire.port), smtpSecurity: "starttls" };
  expect(await sendAlone(begun)).toMatchObject({ kind: "again", sent: "no" });
  const wrong = { ...clear({ server, postfix }), smtpSecurity: "tls" };
  expect(await sendAlone(wrong)).toMatchObject({
    kind: "config",
    sent: "no",
    message: expect.stringContaining("options.smtpSecurity to starttls"),
  });
  const bare = clear({ server, postfix }, postfix.submissionPort);
  expect(await sendAlone(bare)).toMatchObject({
    kind: "config",
    sent: "no",
    message: expect.stringContaining("options.smtpSecurity to starttls"),
  });
});
