/** What the parser lets through and we do not: the first check of a request. */
import type { IncomingMessage } from "node:http";
import { Problem } from "../api/problem.ts";

const MAX_HEADERS = 100;
const MAX_URL_BYTES = 8192;

export interface RequestLine {
  readonly path: string;
  readonly query: URLSearchParams;
}

/** A status without a code of ours: 414, 431. */
export class ParserRefusal extends Error {
  override readonly name = "ParserRefusal";
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** @throws Problem `request.malformed`, `request.method`; ParserRefusal. */
export function checkRequestLine({ url = "", method, rawHeaders, headers }: IncomingMessage): RequestLine {
  if (url.length > MAX_URL_BYTES) throw new ParserRefusal(414, `The URL is longer than ${MAX_URL_BYTES} bytes.`);
  if (rawHeaders.length / 2 > MAX_HEADERS) throw new ParserRefusal(431, `There are more than ${MAX_HEADERS} headers.`);
  if (method === "TRACE")
    throw new Problem("request.method", { detail: "TRACE is not served.", headers: { allow: "GET, HEAD, POST" } });
  if (!url.startsWith("/")) throw malformed("The request target is not a path.");
  if (rawHeaders.filter((one, index) => index % 2 === 0 && one.toLowerCase() === "host").length !== 1)
    throw malformed("There must be exactly one Host header.");
  if (headers["transfer-encoding"] !== undefined && headers["content-length"] !== undefined)
    throw malformed("Content-Length and Transfer-Encoding exclude each other.");
  const [path, search] = split(url);
  return { path, query: new URLSearchParams(search) };
}

function split(url: string): readonly [string, string] {
  const end = url.search(/[?#]/);
  if (end < 0) return [url, ""];
  const search = url[end] === "?" ? (url.slice(end + 1).split("#")[0] ?? "") : "";
  return [url.slice(0, end), search];
}

function malformed(detail: string): Problem {
  return new Problem("request.malformed", { detail, headers: { connection: "close" } });
}
