/** A folder of a WebDAV server: a NAS, Nextcloud, `rclone serve webdav`. Source of the requests: RFC 4918. */
import { randomBytes } from "node:crypto";
import { RuntimeError } from "@margay/core";
import { FOLDERS, NAME } from "../store/target.ts";
import type { Remote } from "./remote-lock.ts";
import { openServer, parts, type Ask, type ServerOptions } from "./server.ts";

const UNFINISHED = /^[\w.-]+\.tmp$/;
const ASKED = Buffer.from(
  `<?xml version="1.0" encoding="utf-8"?><propfind xmlns="DAV:"><prop><getcontentlength/></prop></propfind>`,
);

/** @param options Its name is `webdav://HOST/FOLDER` or, encrypted, `webdavs://HOST/FOLDER`. @throws RuntimeError `usage.wrong`. */
export function webdavTarget(options: ServerOptions): Remote {
  const base = placeOf(options.name);
  const { user, password = "" } = options.login;
  const login =
    user === undefined ? {} : { authorization: `Basic ${Buffer.from(`${user}:${password}`).toString("base64")}` };
  const ask = openServer(options, ({ headers }: Ask) => Promise.resolve({ ...headers, ...login }));
  const done = async (given: Ask, wanted: readonly number[]): Promise<number> => {
    const answer = await ask(given, wanted);
    await answer.text();
    return answer.status;
  };
  const at = (path: string): URL => new URL(`${base.pathname}${path}`, base);

  const filesIn = async (folder: string): Promise<readonly { readonly name: string; readonly bytes: number }[]> => {
    const headers = { depth: "1", "content-type": "application/xml" };
    const answer = await ask({ method: "PROPFIND", url: at(folder), headers, body: ASKED }, [207, 404]);
    const xml = await answer.text();
    return answer.status === 404
      ? []
      : parts(xml, "response").map((one) => ({
          name: parts(one, "href")[0]?.trim().split("/").at(-1) ?? "", // a folder's ends with a slash
          bytes: Number(parts(one, "getcontentlength")[0] ?? 0),
        }));
  };
  /** The folders above it, from the outermost that is missing on. */
  const makeFolders = async (path: string): Promise<void> => {
    const names = at(path).pathname.split("/").slice(1, -1);
    for (let depth = 1; depth <= names.length; depth++) {
      const url = new URL(`/${names.slice(0, depth).join("/")}/`, base);
      // 405: it is there. 403, 409: not ours, as the root of a server that shows one user a part; the last one must be there.
      await done({ method: "MKCOL", url }, [201, 301, 403, 405, 409]);
    }
  };
  const put = (path: string, body: Uint8Array, also: readonly number[]): Promise<number> =>
    done({ method: "PUT", url: at(path), body }, [200, 201, 204, ...also]);
  const remove = (path: string): Promise<number> => done({ method: "DELETE", url: at(path) }, [200, 204, 404]);

  return {
    name: options.name,
    list: async (folder) =>
      (await filesIn(`${folder}/`))
        .filter(({ name }) => NAME.test(name))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
    read: async (path) => {
      const answer = await ask({ method: "GET", url: at(path) }, [200, 404]);
      if (answer.status === 200) return answer.bytes();
      await answer.text();
      return undefined;
    },
    // Under another name first: a line that breaks leaves half of it on many servers.
    write: async (path, bytes) => {
      const before = `${path}.${randomBytes(6).toString("hex")}.tmp`;
      const isThere = (await put(before, bytes, [403, 404, 409])) < 300;
      if (!isThere) {
        await makeFolders(before);
        await put(before, bytes, []);
      }
      const headers = { destination: at(path).href, overwrite: "T" };
      await done({ method: "MOVE", url: at(before), headers }, [201, 204]);
    },
    remove: async (path) => void (await remove(path)),
    removeUnfinished: async () => {
      for (const folder of ["", ...FOLDERS.map((one) => `${one}/`)])
        for (const { name } of await filesIn(folder)) if (UNFINISHED.test(name)) await remove(`${folder}${name}`);
    },
  };
}

/** With `/` at its end. */
function placeOf(name: string): URL {
  const text = name.replace(/^webdav(s?):\/\//, "http$1://");
  if (!URL.canParse(text) || /[?#]/.test(text))
    throw new RuntimeError("usage.wrong", "A WebDAV server is named like this: webdavs://HOST/FOLDER.");
  const url = new URL(text);
  return url.pathname.endsWith("/") ? url : new URL(`${url.href}/`);
}
