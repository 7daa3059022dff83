// Each example is a program that checks itself; here it is run as a reader would run it.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const folder = join(import.meta.dirname, "../examples");

test.for(readdirSync(folder).filter((name) => name.endsWith(".ts")))(
  "R27 the example %s runs and finds what it says",
  (name) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ["--conditions=margay-source", join(folder, name)], {
      encoding: "utf8",
    });
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).not.toBe("");
  },
);
