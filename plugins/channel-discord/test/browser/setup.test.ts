// A person sets it up on the page.
import { test } from "vitest";
import { channelPage } from "../../../../packages/app/test/browser/channel-page.ts";
import { suite } from "../peer.ts";

channelPage((name, body) => test(`discord ${name}`, body), suite);
