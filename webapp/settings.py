"""All settings, in one file; the environment alone switches databases, brokers and hardening.

| variable | default | meaning |
|---|---|---|
| SECRET_KEY | none: required unless DEBUG | signs sessions |
| DEBUG | 0 | debug pages; never on a server |
| ALLOWED_HOSTS | localhost,127.0.0.1,[::1] | names this server answers to |
| DATABASE_URL | sqlite under FX_DATA_DIR | e.g. postgres://user:password@host/name |
| CELERY_BROKER_URL | filesystem:// under FX_DATA_DIR | redis://…, amqp://… |
| FX_DATA_DIR | var | database, broker and artefacts of a machine without servers |
| FX_HTTPS | the opposite of DEBUG | redirect to HTTPS, secure cookies, HSTS |
| FX_WORKER_PROCESSES | 2 | jobs that run at once in one worker |
| EMAIL_URL | consolemail:// | where e-mail goes |
"""

from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured
from django.utils.translation import gettext_lazy as _

from webapp.local import BASE_DIR, data_dir

env = environ.Env()

DEBUG = env.bool("DEBUG", default=False)
SECRET_KEY = env.str("SECRET_KEY", default="only-for-debugging-on-this-machine" if DEBUG else "")
if not SECRET_KEY:
    reason = "SECRET_KEY is not set. Set the environment variable SECRET_KEY to a long random text."
    raise ImproperlyConfigured(reason)
if not DEBUG and (len(SECRET_KEY) < 32 or SECRET_KEY.startswith(("django-insecure-", "only-for-debugging"))):
    reason = "SECRET_KEY is a default or too short: set it to at least 32 random characters."
    raise ImproperlyConfigured(reason)
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
DATA_DIR = data_dir()

INSTALLED_APPS = [
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django.forms",
    "django_htmx",
    "webapp.accounts",
    "webapp.customers",
    "webapp.scenarios",
    "webapp.evaluations",
    "webapp.evidence",
    "webapp.prices",
    "webapp.jobs",
    "webapp.proposals",
    "webapp.home",
]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "webapp.home.middleware.security_headers",
    "webapp.home.assets.StaticFilesMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.locale.LocaleMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "webapp.accounts.middleware.SignInRequiredMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "webapp.urls"
ASGI_APPLICATION = "webapp.asgi.application"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "webapp" / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "webapp.home.context_processors.shell",
            ],
        },
    }
]
FORM_RENDERER = "webapp.home.forms.Renderer"

# --- data -------------------------------------------------------------------------------------------------------------
DATABASES = {"default": env.db_url("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'fx-planner.sqlite3'}")}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    # WAL lets pages read while the worker writes; IMMEDIATE makes a writer wait its turn instead of failing half-way.
    DATABASES["default"]["OPTIONS"] = {
        "timeout": 20,
        "transaction_mode": "IMMEDIATE",
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
else:
    DATABASES["default"].setdefault("CONN_HEALTH_CHECKS", True)
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"
ARTEFACTS_DIR = DATA_DIR / "artefacts"

# --- people -----------------------------------------------------------------------------------------------------------
AUTH_USER_MODEL = "accounts.User"
LOGIN_URL = "accounts:sign-in"
LOGIN_REDIRECT_URL = "home:dashboard"
LOGOUT_REDIRECT_URL = "accounts:sign-in"
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
]
SIGN_IN_WINDOW_S = 15 * 60
SIGN_IN_FAILURES_PER_ACCOUNT = 10
SIGN_IN_FAILURES_PER_ADDRESS = 40

# --- hardening --------------------------------------------------------------------------------------------------------
HTTPS = env.bool("FX_HTTPS", default=not DEBUG)
SECURE_SSL_REDIRECT = HTTPS
SECURE_HSTS_SECONDS = 365 * 24 * 3600 if HTTPS else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = HTTPS
SECURE_HSTS_PRELOAD = HTTPS
SECURE_REFERRER_POLICY = "same-origin"
SESSION_COOKIE_SECURE = HTTPS
SESSION_COOKIE_HTTPONLY = True
SESSION_COOKIE_AGE = 7 * 24 * 3600
CSRF_COOKIE_SECURE = HTTPS
CSRF_COOKIE_HTTPONLY = True
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)

# --- languages --------------------------------------------------------------------------------------------------------
LANGUAGE_CODE = "zh-hans"
LANGUAGES = [("zh-hans", _("Simplified Chinese")), ("ko", _("Korean")), ("en", _("English"))]
LOCALE_PATHS = [BASE_DIR / "webapp" / "locale"]
FORMAT_MODULE_PATH = ["webapp.formats"]
TIME_ZONE = env.str("TIME_ZONE", default="Asia/Shanghai")
USE_TZ = True
USE_I18N = True

# --- static files: nothing is fetched from elsewhere ------------------------------------------------------------------
STATIC_URL = "/static/"
STATICFILES_DIRS = [BASE_DIR / "webapp" / "static"]
STORAGES = {
    "default": {"BACKEND": "django.core.files.storage.FileSystemStorage"},
    "staticfiles": {"BACKEND": "webapp.home.assets.VersionedStorage"},
}
WHITENOISE_USE_FINDERS = True
WHITENOISE_MAX_AGE = 365 * 24 * 3600  # every address carries the hash of its content
EMAIL_CONFIG = env.email_url("EMAIL_URL", default="consolemail://")
EMAIL_BACKEND = EMAIL_CONFIG["EMAIL_BACKEND"]
DEFAULT_FROM_EMAIL = env.str("DEFAULT_FROM_EMAIL", default="FX Planner <fx-planner@localhost>")

# --- background work (DESIGN section 11) ------------------------------------------------------------------------------
BROKER_DIR = DATA_DIR / "broker"
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost")
CELERY_BROKER_CONNECTION_TIMEOUT = 2
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # a worker outlives its broker
CELERY_TASK_PUBLISH_RETRY = False  # an unsent row is sent again by the sweeper; a page must not wait for a broker
CELERY_TASK_DEFAULT_QUEUE = env.str("FX_QUEUE", default="fx-planner")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = (
    False  # the lease brings a lost job back, counted; redelivery would loop on a poison job
)
CELERY_TASK_SERIALIZER = CELERY_RESULT_SERIALIZER = "json"
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = TIME_ZONE
if CELERY_BROKER_URL.startswith("filesystem:"):
    CELERY_BROKER_TRANSPORT = "webapp.jobs.folder_broker:Transport"
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "data_folder_in": str(BROKER_DIR / "messages"),
        "data_folder_out": str(BROKER_DIR / "messages"),
        "control_folder": str(BROKER_DIR / "control"),
        "processed_folder": str(BROKER_DIR / "processed"),
        "store_processed": True,  # else kombu moves each message through the temporary folder of the machine
        "polling_interval": 0.2,
    }
elif CELERY_BROKER_URL.startswith(("redis:", "rediss:")):
    CELERY_BROKER_TRANSPORT_OPTIONS = {
        "visibility_timeout": 6 * 3600,  # above the longest job
        "unacked_restore_throttle": 1,
        "socket_timeout": 30,
        "socket_connect_timeout": 2,
    }
WORKER_PROCESSES = env.int("FX_WORKER_PROCESSES", default=2)
JOB_LEASE_S = 10.0
JOB_RENEW_S = 1.0
JOB_SWEEP_S = 2.0
JOB_RESEND_S = 10.0
JOB_WORKER_SILENT_S = 10.0
JOB_ATTEMPTS_COUNT = 5
# kind -> handler(job, report_progress) -> artefacts; priority: the higher, the sooner
JOB_KINDS: dict[str, dict[str, Any]] = {
    "proposal": {
        "handler": "webapp.proposals.services.build_proposal",
        "label": _("Proposal"),
        "priority": 10,
        "time_limit_s": 600.0,
    },
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": "INFO"},
    "loggers": {"fontTools": {"level": "WARNING"}},  # it tells of every table of every font it embeds
}
