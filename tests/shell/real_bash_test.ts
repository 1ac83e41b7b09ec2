import { testCanonicalScripts, testRandomTexts, testScripts } from "../support/real_bash.ts";

const COUNT = Number(Deno.env.get("ALLY_SCRIPTS") ?? 300);

testScripts(300);
testCanonicalScripts(COUNT);
testRandomTexts(COUNT * 10);
