import { testCanonicalScripts, testRandomTexts, testScripts } from "../support/real_bash.ts";

testScripts(10_000);
testCanonicalScripts(10_000);
testRandomTexts(200_000);
