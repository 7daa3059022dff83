/** A certificate of a server, and the authority behind it, which nobody knows unless told. */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Certificate {
  /** As PEM. */
  readonly certificate: string;
  readonly key: string;
  /** The file with the certificate of the authority: what `NODE_EXTRA_CA_CERTS` is set to. */
  readonly authority: string;
}

/** For that name, and for nothing else. @param folder holds the files */
export function makeCertificate(folder: string, name = "localhost"): Certificate {
  const [authority, authorityKey] = [join(folder, "authority.pem"), join(folder, "authority.key")];
  const [certificate, key] = [join(folder, "server.pem"), join(folder, "server.key")];
  const own = ["-subj", "/CN=Authority of the test", "-addext", "keyUsage=critical,keyCertSign"];
  make([...own, "-keyout", authorityKey, "-out", authority]);
  const names = ["-addext", `subjectAltName=DNS:${name}`, "-addext", "basicConstraints=critical,CA:FALSE"];
  const signed = ["-CA", authority, "-CAkey", authorityKey];
  make([...signed, "-subj", `/CN=${name}`, ...names, "-keyout", key, "-out", certificate]);
  return { certificate: readFileSync(certificate, "utf8"), key: readFileSync(key, "utf8"), authority };
}

function make(how: readonly string[]): void {
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-nodes", "-days", "2", ...how], { stdio: "pipe" });
}
