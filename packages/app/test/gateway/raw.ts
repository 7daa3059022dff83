// Bytes on a TCP connection, as no HTTP client would send them, and what came back.
import { connect } from "node:net";

export interface RawAnswer {
  /** Undefined: the connection ended without an answer. */
  readonly status: number | undefined;
  readonly text: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Status lines in what came back. */
  readonly responses: number;
}

/** Resolves at the end of the connection, or when one whole answer is there. */
export function sendRaw(
  port: number,
  bytes: string | Uint8Array,
  options: { readonly host?: string } = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    const socket = connect(port, options.host ?? "127.0.0.1");
    let text = "";
    const done = (): void => {
      socket.destroy();
      resolve(parsed(text));
    };
    socket.setEncoding("latin1");
    socket.on("data", (chunk: string) => {
      text += chunk;
      if (isWhole(text)) setTimeout(done, 30); // a second answer would follow at once
    });
    socket.on("error", done);
    socket.on("close", done);
    socket.setTimeout(5000, done);
    socket.write(typeof bytes === "string" ? Buffer.from(bytes, "latin1") : bytes);
  });
}

/** The head of a request; `Host` is set unless given. */
export function requestText(
  port: number,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body = "",
): string {
  const all = {
    host: `127.0.0.1:${port}`,
    connection: "close",
    ...lower(headers),
    ...(body !== "" && { "content-length": String(Buffer.byteLength(body)) }),
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${Buffer.from(body).toString("latin1")}`;
}

function lower(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

function isWhole(text: string): boolean {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return false;
  const length = /\r\ncontent-length: (\d+)/i.exec(text.slice(0, end))?.[1];
  return length !== undefined && text.length >= end + 4 + Number(length);
}

function parsed(text: string): RawAnswer {
  const [head = ""] = text.split("\r\n\r\n");
  const [first = "", ...lines] = head.split("\r\n");
  const status = /^HTTP\/1\.1 (\d{3})/.exec(first)?.[1];
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 1).trim()]),
  );
  return {
    status: status === undefined ? undefined : Number(status),
    text,
    headers,
    responses: text.match(/HTTP\/1\.1 \d{3}/g)?.length ?? 0,
  };
}
