/** Puts a mail into a mailbox over LMTP, byte by byte as it was given; not with the library that is under test. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";

export interface Delivery {
  readonly port: number;
  /** Of the envelope: the server writes it as `Return-Path`. Empty for a bounce. */
  readonly from: string;
  readonly to: string;
}

/** @throws with the answer of the server when it did not take the mail */
export async function deliverByLmtp(raw: Uint8Array, { port, from, to }: Delivery): Promise<void> {
  const socket = connect({ host: "127.0.0.1", port });
  try {
    await once(socket, "connect");
    const answers = replies(socket);
    await expectCode(answers, "220");
    await say(socket, answers, "LHLO peer.test", "250");
    await say(socket, answers, `MAIL FROM:<${from}> BODY=8BITMIME`, "250");
    await say(socket, answers, `RCPT TO:<${to}>`, "250");
    await say(socket, answers, "DATA", "354");
    socket.write(dotStuffed(raw));
    await expectCode(answers, "250");
    socket.end("QUIT\r\n");
  } finally {
    socket.destroy();
  }
}

/** Line ends of the wire, dots doubled, the dot at the end. */
export function dotStuffed(raw: Uint8Array): Buffer {
  const text = Buffer.from(raw).toString("latin1").replace(/\r?\n/g, "\r\n").replace(/^\./gm, "..");
  return Buffer.from(`${text}${text.endsWith("\r\n") ? "" : "\r\n"}.\r\n`, "latin1");
}

async function* replies(socket: Socket): AsyncGenerator<string> {
  for await (const line of createInterface({ input: socket })) if (/^\d{3}(?: |$)/.test(line)) yield line;
}

async function say(socket: Socket, answers: AsyncGenerator<string>, line: string, code: string): Promise<void> {
  socket.write(`${line}\r\n`);
  await expectCode(answers, code, line);
}

async function expectCode(answers: AsyncGenerator<string>, code: string, after = "the start"): Promise<void> {
  const { value } = (await answers.next()) as { readonly value?: string };
  if (value?.startsWith(code) !== true) throw new Error(`LMTP answered "${value ?? "nothing"}" after ${after}.`);
}
