// Secrets, and the log that must not be forged.

export const SECRET_GUARDS = [
  {
    id: "redaction: by value",
    file: "packages/core/src/lib/redact.ts",
    find: "redactShapes(redactKnown(text))",
    replace: "redactShapes(text)",
    tests: ["packages/core/test/lib/redact.test.ts"],
  },
  {
    id: "redaction: by shape",
    file: "packages/core/src/lib/redact.ts",
    find: "redactShapes(redactKnown(text))",
    replace: "redactKnown(text)",
    tests: ["packages/core/test/lib/redact.test.ts"],
  },
  {
    id: "redaction: over the cuts of a stream",
    file: "packages/core/src/lib/redacted-text.ts",
    find: "const at = uncut(before + tail(held.slice(before)));",
    replace: "const at = held.length;",
    tests: ["packages/core/test/lib/redact.test.ts", "packages/core/test/lib/redact-properties.test.ts"],
  },
  {
    id: "vault: an entry is bound to its name and version",
    file: "packages/app/src/config/vault.ts",
    find: "return Buffer.from(`margay-vault\\0${name}\\0${version}`);",
    replace: 'return Buffer.from("margay-vault");',
    tests: ["packages/app/test/config/vault.test.ts"],
  },
  {
    id: "vault: the list is sealed",
    file: "packages/app/src/config/vault.ts",
    find: "if (!equal(file.seal, sealOf(key, file.entries))) throw damaged();",
    replace: "",
    tests: ["packages/app/test/config/vault.test.ts"],
  },
  {
    id: "vault: not one that others can read",
    file: "packages/app/src/config/vault.ts",
    find: "    refuseShared(path, t);\n",
    replace: "",
    tests: ["packages/app/test/config/vault.test.ts"],
  },
  {
    id: "audit: the chain of hashes",
    file: "packages/core/src/audit/chain.ts",
    find: "hash(prev + canonicalJson(body)) !== own || ",
    replace: "",
    tests: ["packages/core/test/audit/verify.test.ts"],
  },
  {
    id: "audit: a line carries the key's proof",
    file: "packages/core/src/audit/chain.ts",
    find: "if (proof !== undefined && mac(own) !== proof)",
    replace: "if (false)",
    tests: ["packages/core/test/audit/verify.test.ts"],
  },
  {
    id: "audit: a line names the one before",
    file: "packages/core/src/audit/chain.ts",
    find: "return prev === head.hash ?",
    replace: "return true ?",
    tests: ["packages/core/test/audit/chain.test.ts"],
  },
  {
    id: "audit: the noted head tells what was cut off",
    file: "packages/core/src/audit/verify.ts",
    find: "if (newest > head.n)",
    replace: "if (false)",
    tests: ["packages/core/test/audit/verify.test.ts"],
  },
];
