import { execFileSync } from "node:child_process";
import fs from "node:fs";
import https from "node:https";
import net, { type AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { expect, test } from "vitest";
import { systemClock } from "../../src/machine/system/clock.ts";
import { createSafeFetch, type SafeFetch } from "../../src/machine/http/safe-fetch.ts";

interface Site extends AsyncDisposable {
  readonly fetch: SafeFetch;
  readonly certificate: string;
}

/** `https://pub.test`, with a certificate nobody has signed. */
async function openSite(): Promise<Site> {
  const directory = fs.mkdtempSync(join(tmpdir(), "margay-tls-"));
  const [key, cert] = [join(directory, "key.pem"), join(directory, "cert.pem")];
  const subject = ["-subj", "/CN=pub.test", "-addext", "subjectAltName=DNS:pub.test"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-nodes", "-days", "2", ...subject, "-keyout", key, "-out", cert], {
    stdio: "ignore",
  });
  const certificate = fs.readFileSync(cert, "utf8");
  const server = https.createServer({ key: fs.readFileSync(key), cert: certificate }, (request, response) =>
    response.end(`hello ${request.headers.host}`),
  );
  fs.rmSync(directory, { recursive: true });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    certificate,
    fetch: createSafeFetch({
      clock: systemClock(),
      resolve: async () => ["93.184.216.34"],
      connect: () => net.connect(port, "127.0.0.1"),
    }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

test("R113 https is checked against the name although the address is dialed, whatever the environment says", async () => {
  await using site = await openSite();
  const signal = new AbortController().signal;
  const before = process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
  const authorities = tls.getCACertificates("default");
  process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = "0";
  try {
    await expect(site.fetch("https://pub.test/", {}, signal)).rejects.toThrow("DEPTH_ZERO_SELF_SIGNED_CERT");
    tls.setDefaultCACertificates([site.certificate]);
    const result = await site.fetch("https://pub.test/", {}, signal);
    expect(result).toMatchObject({ status: "ok", response: { status: 200, body: Buffer.from("hello pub.test") } });
    await expect(site.fetch("https://other.test/", {}, signal)).rejects.toThrow("ERR_TLS_CERT_ALTNAME_INVALID");
  } finally {
    tls.setDefaultCACertificates(authorities);
    if (before === undefined) delete process.env["NODE_TLS_REJECT_UNAUTHORIZED"];
    else process.env["NODE_TLS_REJECT_UNAUTHORIZED"] = before;
  }
});
