// Bedrock behind real HTTP: scripted answers as the events of ConverseStream, or bytes as they are.
import http from "node:http";
import type { AddressInfo } from "node:net";
import type { Answer, Failure } from "@margay/core/internal/testing";
import { eventFrame } from "./event-stream.ts";

export interface Bytes {
  readonly kind: "bytes";
  readonly pieces: readonly Uint8Array[];
}
export interface Seen {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  // A request body of ours; the tests know its shape.
  readonly body: Readonly<Record<string, unknown>>;
}
export interface ConverseServer extends AsyncDisposable {
  readonly url: string;
  readonly requests: readonly Seen[];
  replies(...replies: readonly (Answer | Failure | Bytes)[]): void;
}

export async function startConverse(): Promise<ConverseServer> {
  const queue: (Answer | Failure | Bytes)[] = [];
  const requests: Seen[] = [];
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const body = JSON.parse(Buffer.concat(chunks).toString()) as Seen["body"];
      requests.push({ path: request.url ?? "", headers: request.headers, body });
      void answer(queue.shift(), response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo; // listening on TCP
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    replies: (...replies) => void queue.push(...replies),
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(reply: Answer | Failure | Bytes | undefined, response: http.ServerResponse): Promise<void> {
  if (reply === undefined || reply.kind === "failure") {
    const { status, headers } = reply ?? { status: 500, headers: {} };
    response.writeHead(status, { "content-type": "application/json", ...headers });
    response.end(JSON.stringify({ message: `The test answers with ${status}.` }));
    return;
  }
  response.writeHead(200, { "content-type": "application/vnd.amazon.eventstream" });
  response.flushHeaders();
  if (reply.kind === "bytes") {
    for (const piece of reply.pieces) await write(response, piece);
    response.end();
    return;
  }
  await perform(reply, response);
}

async function perform(reply: Answer, response: http.ServerResponse): Promise<void> {
  const send = (event: Readonly<Record<string, unknown>>): Promise<void> => write(response, eventFrame(event));
  await send({ messageStart: { role: "assistant" } });
  let index = 0;
  for (const part of reply.parts) {
    const at = { contentBlockIndex: index };
    if (part.type === "pause") {
      if (typeof part.piece === "object" && "opened" in part.piece) await part.piece.opened;
      continue;
    }
    if (part.type === "call") {
      const start = { toolUse: { toolUseId: part.id ?? `tooluse_${index}`, name: part.name } };
      await send({ contentBlockStart: { ...at, start } });
      await send({ contentBlockDelta: { ...at, delta: { toolUse: { input: part.arguments } } } });
    } else if (part.type === "thinking")
      await send({ contentBlockDelta: { ...at, delta: { reasoningContent: { text: part.text } } } });
    else
      for (const piece of part.pieces) {
        if (typeof piece === "string") await send({ contentBlockDelta: { ...at, delta: { text: piece } } });
        else if ("opened" in piece) await Promise.race([piece.opened, closed(response)]);
      }
    await send({ contentBlockStop: at });
    index++;
  }
  const calls = reply.parts.some((part) => part.type === "call");
  const reason = { stop: calls ? "tool_use" : "end_turn", length: "max_tokens", refusal: "guardrail_intervened" };
  await send({ messageStop: { stopReason: reason[reply.finish] } });
  if (reply.usage !== null) {
    const { input = 1, output = 1 } = reply.usage ?? {};
    const usage = { inputTokens: input, outputTokens: output, totalTokens: input + output };
    await send({ metadata: { usage, metrics: { latencyMs: 1 } } });
  }
  response.end();
}

function write(response: http.ServerResponse, bytes: Uint8Array): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    response.once("close", resolve);
    response.write(bytes, () => {
      response.off("close", resolve);
      resolve();
    });
  });
}

function closed(response: http.ServerResponse): Promise<void> {
  return new Promise((resolve) => void response.once("close", resolve));
}
