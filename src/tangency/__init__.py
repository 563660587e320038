from .shapes import *
