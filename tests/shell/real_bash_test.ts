import { testCanonicalScripts, testScripts } from "../support/real_bash.ts";

testScripts(300);
testCanonicalScripts(Number(Deno.env.get("ALLY_SCRIPTS") ?? 300));
