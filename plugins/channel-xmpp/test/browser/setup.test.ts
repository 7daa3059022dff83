// A person sets it up on the page.
import { test } from "vitest";
import { channelPage } from "../../../../packages/app/test/browser/channel-page.ts";
import { suite } from "../suite-peer.ts";

channelPage((name, body) => test(`xmpp ${name}`, body), suite);
