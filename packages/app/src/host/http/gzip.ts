/** Answers as gzip, where a route allows it. */
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import type { Answer } from "./respond.ts";

/** Smaller ones cost more than they save. */
const MIN_BYTES = 2048;

/** By `Accept-Encoding`; `gzip;q=0` is a no. */
export function takesGzip({ headers }: Pick<IncomingMessage, "headers">): boolean {
  const offers = String(headers["accept-encoding"] ?? "").split(",");
  return offers.some((offer) => /^\s*(?:gzip|\*)\s*(?:;(?!\s*q=0(?:\.0*)?\s*$)|$)/i.test(offer));
}

/** The same answer, smaller; one with an ETag stays as it is: the tag is of these bytes. */
export async function zipped(answer: Answer): Promise<Answer> {
  const { body, headers } = answer;
  if (typeof body !== "string" || Buffer.byteLength(body) < MIN_BYTES || headers["etag"] !== undefined) return answer;
  const { gzip } = process.getBuiltinModule("node:zlib");
  return {
    ...answer,
    headers: { ...headers, "content-encoding": "gzip", vary: `${String(headers["vary"])}, Accept-Encoding` },
    body: await promisify(gzip)(body),
  };
}
