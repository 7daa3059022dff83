/** Certificate and key of the gateway: read at the start, and again when a renewal has replaced them. */
import { readFileSync, watchFile, unwatchFile } from "node:fs";
import type { Server } from "node:https";
import { type Logger } from "@margay/core";
import { messageOf } from "@margay/core/internal";

export interface KeyFiles {
  readonly cert: string;
  readonly key: string;
}

export interface Keys {
  readonly cert: Buffer;
  readonly key: Buffer;
  readonly minVersion: "TLSv1.2";
}

export function readKeys({ cert, key }: KeyFiles): Keys {
  return { cert: readFileSync(cert), key: readFileSync(key), minVersion: "TLSv1.2" };
}

const LOOK_MS = 1000;

/** New connections get the new certificate; open ones keep theirs. @returns the function that ends it. */
export function followKeys(server: Server, files: KeyFiles, log: Logger): () => void {
  const changed = (): void => {
    try {
      server.setSecureContext(readKeys(files));
      log.info("gateway.certificate", { file: files.cert });
    } catch (error) {
      log.error("gateway.certificate-refused", { file: files.cert, message: messageOf(error) }); // half a renewal: the old one stays
    }
  };
  // By time of change, not by events: certificate tools replace links of links.
  for (const file of [files.cert, files.key]) watchFile(file, { interval: LOOK_MS, persistent: false }, changed);
  return () => {
    for (const file of [files.cert, files.key]) unwatchFile(file, changed);
  };
}
