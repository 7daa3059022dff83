/**
 * A bucket of S3, or of a server that speaks as it does. Source of the requests: Amazon S3 API Reference (2006-03-01),
 * ListObjectsV2, GetObject, PutObject, DeleteObject.
 */
import { createHash } from "node:crypto";
import { RuntimeError } from "@margay/core";
import { NAME } from "../store/target.ts";
import type { Remote } from "./remote-lock.ts";
import { openServer, parts, type Ask, type ServerOptions } from "./server.ts";

const USUAL_REGION = "us-east-1";

/** @param options Its name is `s3://BUCKET/FOLDER?endpoint=URL&region=NAME`. @throws RuntimeError `usage.wrong`. */
export function s3Target(options: ServerOptions): Remote {
  const { base, prefix, region } = placeOf(options.name);
  const { user: accessKeyId = "", password: secretAccessKey = "" } = options.login;
  if (accessKeyId === "" || secretAccessKey === "")
    throw new RuntimeError(
      "usage.wrong",
      "A bucket needs a key: set backup.user (its ID) and backup.password (the secret), or give --user and --password-file.",
    );
  const ask = openServer(options, async ({ method, url, headers, body }: Ask) => {
    const { AwsV4Signer } = await import("aws4fetch");
    const sum = createHash("sha256")
      .update(body ?? "")
      .digest("hex");
    const given = { ...headers, "x-amz-content-sha256": sum };
    const signer = new AwsV4Signer({
      method,
      url: url.href,
      headers: given,
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
    });
    return Object.fromEntries((await signer.sign()).headers.entries());
  });
  const at = (path: string): URL => new URL(`${base.pathname}/${prefix}${path}`, base);
  return {
    name: options.name,
    list: async (folder) => {
      const found: { readonly name: string; readonly bytes: number }[] = [];
      for (let next: string | undefined = ""; next !== undefined;) {
        const url = new URL(base);
        const query = {
          "list-type": "2",
          prefix: `${prefix}${folder}/`,
          ...(next !== "" && { "continuation-token": next }),
        };
        url.search = new URLSearchParams(query).toString().replaceAll("+", "%20");
        const xml = await (await ask({ method: "GET", url }, [200])).text();
        for (const content of parts(xml, "Contents")) {
          const name = parts(content, "Key")[0]?.split("/").at(-1) ?? "";
          if (NAME.test(name)) found.push({ name, bytes: Number(parts(content, "Size")[0]) });
        }
        next = parts(xml, "NextContinuationToken")[0];
      }
      return found.toSorted((a, b) => (a.name < b.name ? -1 : 1));
    },
    read: async (path) => {
      const answer = await ask({ method: "GET", url: at(path) }, [200, 404]);
      if (answer.status === 200) return answer.bytes();
      await answer.text();
      return undefined;
    },
    write: async (path, body) => {
      await (await ask({ method: "PUT", url: at(path), body }, [200])).text();
    },
    remove: async (path) => {
      await (await ask({ method: "DELETE", url: at(path) }, [200, 204, 404])).text();
    },
    removeUnfinished: () => Promise.resolve(), // an object is there as a whole or not at all
  };
}

interface Place {
  /** Of the bucket. */
  readonly base: URL;
  /** Empty, or with `/` at its end. */
  readonly prefix: string;
  readonly region: string;
}

function placeOf(name: string): Place {
  const [, bucket = "", path = "", query = ""] =
    /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(\/[^?#]*)?(?:\?(.*))?$/.exec(name) ?? [];
  const given = new URLSearchParams(query);
  const region = given.get("region") ?? USUAL_REGION;
  const endpoint = given.get("endpoint") ?? `https://s3.${region}.amazonaws.com`;
  const folders = path.split("/").filter((part) => part !== "");
  if (
    bucket === "" ||
    !URL.canParse(endpoint) ||
    !/^https?:/.test(endpoint) ||
    !folders.every((part) => /^[\w.-]+$/.test(part))
  )
    throw new RuntimeError(
      "usage.wrong",
      "A bucket is named like this: s3://BUCKET/FOLDER, with ?region=NAME, and ?endpoint=https://HOST for a server other than Amazon's.",
    );
  const prefix = folders.map((part) => `${part}/`).join("");
  return { base: new URL(`${endpoint.replace(/\/$/, "")}/${bucket}`), prefix, region };
}
