// Spring Authorization Server, from Maven Central: two applications, JWT access tokens.

import { mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../../../scripts/free-port.js';
import { tokensByCode } from '../../support/code-flow.js';
import { CACHE, have, startProvider } from './program.js';
import {
  clientOf,
  ENDED,
  ENDED_USERS,
  type OpenProvider,
  PASSWORD,
  type Step,
  type Use,
} from './real-provider.js';

const BOOT_VERSION = '3.5.6';
const VERSION = '1.5.2';
const SHORT_LIFESPAN_SECONDS = 2;

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<parent><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-parent</artifactId><version>${BOOT_VERSION}</version></parent>
<groupId>trial</groupId><artifactId>spring-provider</artifactId><version>1</version>
<dependencies><dependency><groupId>org.springframework.boot</groupId><artifactId>spring-boot-starter-oauth2-authorization-server</artifactId></dependency></dependencies>
</project>
`;

/** The whole program; `/control` stands for what an operator does with the accounts. */
const PROGRAM = `
import java.time.Duration;
import java.util.*;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.*;
import org.springframework.security.config.annotation.web.configuration.WebSecurityCustomizer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.oauth2.core.*;
import org.springframework.security.oauth2.server.authorization.client.*;
import org.springframework.security.oauth2.server.authorization.settings.*;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.web.bind.annotation.*;

@Configuration(proxyBeanMethods = false) @EnableAutoConfiguration
public class Provider {
  public static void main(String[] arguments) { SpringApplication.run(Provider.class, arguments); }
  static RegisteredClient client(String id, int seconds) {
    return RegisteredClient.withId(id).clientId(id).clientSecret("{noop}secret-of-" + id)
      .clientAuthenticationMethod(ClientAuthenticationMethod.NONE)
      .clientAuthenticationMethod(ClientAuthenticationMethod.CLIENT_SECRET_POST)
      .authorizationGrantType(AuthorizationGrantType.AUTHORIZATION_CODE)
      .redirectUri("http://127.0.0.1/signed-in").scope("openid").scope("profile")
      .clientSettings(ClientSettings.builder().requireProofKey(true).requireAuthorizationConsent(false).build())
      .tokenSettings(TokenSettings.builder().accessTokenTimeToLive(Duration.ofSeconds(seconds)).build())
      .build();
  }
  @Bean RegisteredClientRepository clients() {
    return new InMemoryRegisteredClientRepository(
      client("shop-app", 300), client("other-app", 300), client("short-app", ${SHORT_LIFESPAN_SECONDS}));
  }
  @Bean InMemoryUserDetailsManager users() {
    var users = new InMemoryUserDetailsManager();
    for (var name : List.of("asha", "juma", "neema"))
      users.createUser(User.withUsername(name).password("{noop}${PASSWORD}").roles("USER").build());
    return users;
  }
  @Bean WebSecurityCustomizer unguarded() { return web -> web.ignoring().requestMatchers("/control"); }
  @RestController static class Control {
    final InMemoryUserDetailsManager users;
    Control(InMemoryUserDetailsManager users) { this.users = users; }
    @GetMapping("/control") String act(@RequestParam("act") String act, @RequestParam("user") String user) {
      if (act.equals("delete")) users.deleteUser(user);
      else users.updateUser(User.withUserDetails(users.loadUserByUsername(user)).disabled(true).build());
      return "";
    }
  }
}
`;

export const openSpring: OpenProvider = async (folder) => {
  const home = join(CACHE, 'spring');
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'pom.xml'), POM);
  await have(join(home, 'lib'), [
    'mvn',
    '-q',
    '-B',
    'dependency:copy-dependencies',
    `-DoutputDirectory=${join(home, 'lib')}`,
  ]);
  const classes = join(folder, 'classes');
  const source = join(folder, 'Provider.java');
  await writeFile(source, PROGRAM);
  const libraries = join(home, 'lib/*');
  await have(classes, ['javac', '-cp', libraries, '-parameters', '-d', classes, source]);
  const port = await freePort();
  const issuer = `http://127.0.0.1:${port}`;
  const program = await startProvider({
    command: 'java',
    args: [
      '-Xmx256m',
      '-cp',
      [classes, libraries].join(delimiter),
      'Provider',
      `--server.port=${port}`,
      '--server.address=127.0.0.1',
    ],
    folder,
    readyUrl: `${issuer}/.well-known/openid-configuration`,
    logFile: join(folder, 'spring.log'),
  });
  // Tokens outlive their accounts: nothing is looked up.
  const open = { ...ENDED, 'other client': 200, 'user disabled': 200, 'user deleted': 200 };
  return {
    name: `Spring Authorization Server ${VERSION}`,
    settings: { AUTH_USERINFO_URL: `${issuer}/userinfo` },
    gate: { AUTH_ISSUER: issuer, AUTH_AUDIENCE: 'shop-app,short-app' },
    expected: { open, gated: { ...open, 'other client': 401 } },
    token: (step, use) => tokenFor(step, use, issuer),
    ...program,
  };
};

async function tokenFor(step: Step, use: Use, issuer: string) {
  const user = ENDED_USERS[step];
  const { access_token, id_token } = await tokensByCode({
    authorizationEndpoint: `${issuer}/oauth2/authorize`,
    tokenEndpoint: `${issuer}/oauth2/token`,
    clientId: clientOf(step),
    scope: step === 'no scope' ? 'profile' : 'openid',
    user: user ?? 'asha',
    password: PASSWORD,
  });
  if (step === 'ID token') return id_token;
  if (step === 'expired') await delay((SHORT_LIFESPAN_SECONDS + 1) * 1000);
  if (step === 'revoked') {
    await use(access_token);
    const client = { client_id: 'shop-app', client_secret: 'secret-of-shop-app' };
    const form = new URLSearchParams({ ...client, token: access_token });
    const { status } = await fetch(`${issuer}/oauth2/revoke`, { method: 'POST', body: form });
    if (status !== 200) throw new Error(`not revoked: ${status}`);
  }
  if (user !== undefined) {
    await use(access_token);
    const act = step === 'user deleted' ? 'delete' : 'disable';
    await fetch(`${issuer}/control?act=${act}&user=${user}`);
  }
  return access_token;
}
