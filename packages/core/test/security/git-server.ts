// A git server as the internet has them: real `git http-backend` behind https, with a password where one is wanted.
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import { type IncomingMessage, type ServerResponse } from "node:http";
import https from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import tls from "node:tls";

export interface Asked {
  readonly method: string;
  /** Host, path and query. */
  readonly url: string;
  readonly authorization: string | undefined;
  readonly headers: IncomingMessage["headers"];
}
export interface GitServer extends AsyncDisposable {
  readonly port: number;
  readonly asked: Asked[];
  /** Bare, of `git.test` and all other names; @returns its directory. */
  repository(path: string): string;
  /** Answers a request itself; false: git does. */
  instead: (request: IncomingMessage, response: ServerResponse) => boolean;
}

/** @param allowed whether a request may pass with this Authorization; @returns false for 401. */
export async function startGitServer(
  directory: string,
  names: readonly string[],
  allowed: (request: IncomingMessage) => boolean,
): Promise<GitServer> {
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const alternative = names.map((name) => `DNS:${name}`).join(",");
  const subject = ["-subj", "/CN=git.test", "-addext", `subjectAltName=${alternative}`];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const certificate = fs.readFileSync(cert, "utf8");
  const before = tls.getCACertificates("default");
  tls.setDefaultCACertificates([...before, certificate]);
  const asked: Asked[] = [];
  const root = join(directory, "served");
  fs.mkdirSync(root);
  const made: GitServer = {
    port: 0,
    asked,
    instead: () => false,
    repository: (path) => {
      const bare = join(root, path);
      execFileSync("git", ["init", "-q", "--bare", "-b", "main", bare]);
      execFileSync("git", ["-C", bare, "config", "http.receivepack", "true"]);
      return bare;
    },
    [Symbol.asyncDispose]: async () => {
      tls.setDefaultCACertificates(before);
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  const server = https.createServer({ key: fs.readFileSync(key), cert: certificate }, (request, response) => {
    const { method = "", url = "", headers } = request;
    asked.push({ method, url: `${headers.host}${url}`, authorization: headers.authorization, headers });
    if (made.instead(request, response)) return;
    if (!allowed(request)) {
      request.resume();
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"', "set-cookie": "a=b" });
      response.end("Unauthorized");
      return;
    }
    backend(root, request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(made, { port: (server.address() as AddressInfo).port });
}

function backend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const [path = "", query = ""] = (request.url ?? "").split("?");
  const header = (name: string): string => String(request.headers[name] ?? "");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: "safe.directory",
      GIT_CONFIG_VALUE_0: "*",
      REQUEST_METHOD: request.method,
      PATH_INFO: path,
      QUERY_STRING: query,
      REMOTE_USER: "me",
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
      ...(request.headers["content-length"] !== undefined && { CONTENT_LENGTH: header("content-length") }),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin).on("error", () => undefined);
  let head = Buffer.alloc(0);
  const onData = (bytes: Buffer): void => {
    head = Buffer.concat([head, bytes]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    child.stdout.off("data", onData);
    const lines = head.subarray(0, end).toString().split("\r\n");
    const fields = lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]);
    const status = Number(fields.find(([name]) => name === "Status")?.[1].slice(0, 3) ?? 200);
    response.writeHead(status, Object.fromEntries(fields.filter(([name]) => name !== "Status")));
    response.write(head.subarray(end + 4));
    child.stdout.pipe(response);
  };
  child.stdout.on("data", onData);
}
