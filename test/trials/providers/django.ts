// django-oauth-toolkit, from PyPI: a Django project with two applications and opaque tokens.

import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../../../scripts/free-port.js';
import { tokensByCode } from '../../support/code-flow.js';
import { CACHE, have, pythonEnvironment, startProvider } from './program.js';
import {
  ENDED,
  ENDED_USERS,
  type OpenProvider,
  PASSWORD,
  type Step,
  type Use,
} from './real-provider.js';

const VERSION = '3.4.1';

/** The whole project; `/control` stands for what an operator does in the admin. */
const PROJECT = `
import datetime, os, sys
import django
from django.conf import settings
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

port, data = sys.argv[1], sys.argv[2]
key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption()).decode()
settings.configure(
    DEBUG=True, SECRET_KEY='of-the-trial', ALLOWED_HOSTS=['*'], ROOT_URLCONF=__name__, USE_TZ=True,
    DEFAULT_AUTO_FIELD='django.db.models.BigAutoField',
    DATABASES={'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': os.path.join(data, 'django.db')}},
    INSTALLED_APPS=['django.contrib.admin', 'django.contrib.auth', 'django.contrib.contenttypes',
        'django.contrib.sessions', 'django.contrib.messages', 'oauth2_provider'],
    MIDDLEWARE=['django.contrib.sessions.middleware.SessionMiddleware',
        'django.middleware.common.CommonMiddleware', 'django.middleware.csrf.CsrfViewMiddleware',
        'django.contrib.auth.middleware.AuthenticationMiddleware',
        'django.contrib.messages.middleware.MessageMiddleware'],
    TEMPLATES=[{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True,
        'OPTIONS': {'context_processors': ['django.template.context_processors.request',
            'django.contrib.auth.context_processors.auth',
            'django.contrib.messages.context_processors.messages']}}],
    LOGIN_URL='/admin/login/', SESSION_COOKIE_NAME='session',
    OAUTH2_PROVIDER={'OIDC_ENABLED': True, 'OIDC_RSA_PRIVATE_KEY': key,
        'SCOPES': {'openid': 'OpenID', 'profile': 'Profile'}},
)
django.setup()
from django.contrib import admin
from django.contrib.auth.models import User
from django.core.management import call_command
from django.http import HttpResponse
from django.urls import include, path
from oauth2_provider.models import get_access_token_model, get_application_model

def control(request):
    user = User.objects.filter(username=request.GET.get('user', '')).first()
    act = request.GET['act']
    if act == 'disable':
        user.is_active = False
        user.save()
    if act == 'delete':
        user.delete()
    if act == 'expire':
        token = get_access_token_model().objects.get(token=request.GET['token'])
        token.expires = django.utils.timezone.now() - datetime.timedelta(seconds=1)
        token.save()
    return HttpResponse('')

urlpatterns = [path('admin/', admin.site.urls), path('control', control),
    path('o/', include('oauth2_provider.urls', namespace='oauth2_provider'))]
call_command('migrate', verbosity=0)
for name in ['asha', 'juma', 'neema']:
    if not User.objects.filter(username=name).exists():
        User.objects.create_superuser(name, f'{name}@shop.example', '${PASSWORD}')
for client in ['shop-app', 'other-app']:
    get_application_model().objects.get_or_create(client_id=client, defaults=dict(
        name=client, client_type='public', authorization_grant_type='authorization-code',
        redirect_uris='http://127.0.0.1/signed-in', skip_authorization=True, algorithm='RS256'))
call_command('runserver', f'127.0.0.1:{port}', use_reloader=False)
`;

export const openDjango: OpenProvider = async (folder) => {
  const environment = join(CACHE, 'django');
  const python = join(environment, 'bin/python');
  await have(
    join(environment, 'bin/django-admin'),
    ...pythonEnvironment(environment, `django-oauth-toolkit==${VERSION}`, 'django==5.2.19'),
  );
  await writeFile(join(folder, 'project.py'), PROJECT);
  const origin = `http://127.0.0.1:${await freePort()}`;
  const program = await startProvider({
    command: python,
    args: ['project.py', new URL(origin).port, folder],
    folder,
    readyUrl: `${origin}/o/.well-known/openid-configuration`,
    logFile: join(folder, 'django.log'),
  });
  return {
    name: `django-oauth-toolkit ${VERSION}`,
    settings: { AUTH_USERINFO_URL: `${origin}/o/userinfo/` },
    gate: undefined,
    expected: {
      // The toolkit does not look at is_active once a token is out.
      open: { ...ENDED, 'other client': 200, 'user disabled': 200 },
    },
    token: (step, use) => tokenFor(step, use, origin),
    ...program,
  };
};

async function tokenFor(step: Step, use: Use, origin: string) {
  const user = ENDED_USERS[step];
  const { access_token, id_token } = await tokensByCode({
    authorizationEndpoint: `${origin}/o/authorize/`,
    tokenEndpoint: `${origin}/o/token/`,
    clientId: step === 'other client' ? 'other-app' : 'shop-app',
    scope: step === 'no scope' ? 'profile' : 'openid',
    user: user ?? 'asha',
    password: PASSWORD,
  });
  if (step === 'ID token') return id_token;
  if (step === 'revoked') {
    await use(access_token);
    const form = new URLSearchParams({ client_id: 'shop-app', token: access_token });
    await fetch(`${origin}/o/revoke_token/`, { method: 'POST', body: form });
  }
  const act = { expired: 'expire', 'user disabled': 'disable', 'user deleted': 'delete' };
  if (Object.hasOwn(act, step)) {
    await use(access_token);
    const query = new URLSearchParams({ act: act[step as keyof typeof act], token: access_token });
    await fetch(`${origin}/control?${query}&user=${user ?? ''}`);
  }
  return access_token;
}
